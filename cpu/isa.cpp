#include "cpu/isa.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace gpuminer::cpu {
namespace {

constexpr std::array kIsas = {
    Isa{"scalar", "one nonce at a time", scan_scalar, nullptr, ""},
    Isa{"sse41", "4 nonces per vector", scan_sse41, &Features::sse41, "this CPU has no SSE4.1"},
    Isa{"shani", "2 nonces interleaved", scan_shani, &Features::sha, "this CPU has no SHA instructions"},
    Isa{"avx2", "8 nonces per vector", scan_avx2, &Features::avx2, "this CPU or its operating system has no AVX2"},
    Isa{"avx512", "16 nonces per vector", scan_avx512, &Features::avx512f,
        "this CPU or its operating system has no AVX-512"},
};

/// Seconds for a small fixed search: the best of three, so that an interruption does not decide.
double time_isa(const Isa& isa, const ScanJob& job) {
    constexpr std::uint64_t kNonces = 2048;
    std::array<Candidate, 1> none;
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
        const auto start = std::chrono::steady_clock::now();
        scan(isa, job, {0, kNonces}, none);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

}  // namespace

std::span<const Isa> isas() { return kIsas; }

const Isa* find_isa(std::string_view name) {
    const auto* const found =
        std::find_if(kIsas.begin(), kIsas.end(), [&](const Isa& isa) { return isa.name == name; });
    return found == kIsas.end() ? nullptr : found;
}

const Isa& fastest_isa(const Features& features) {
    const std::array<std::uint8_t, 80> header{};
    const std::array<std::uint32_t, 1> version = {1};
    const ScanJob job(header, version, 0);
    const Isa* fastest = nullptr;
    double best = 0;
    for (const Isa& isa : kIsas) {
        if (!usable(isa, features)) continue;
        const double seconds = time_isa(isa, job);
        if (fastest == nullptr || seconds < best) {
            fastest = &isa;
            best = seconds;
        }
    }
    return *fastest;  // scalar is always usable
}

ScanOutcome scan(const Isa& isa, const ScanJob& job, NonceRange range, std::span<Candidate> candidates) {
    ScanArguments arguments{};
    arguments.midstates = job.midstates().front().data();
    arguments.tail = job.tail().data();
    arguments.job_words = job.job_words().data();
    if (job.rolled()) {
        arguments.version_words = job.version_words(0).data();
        arguments.version_stride = job.version_words(0).size();
    }
    arguments.versions = static_cast<std::uint32_t>(job.versions().size());
    arguments.target_top = job.target_top();
    arguments.sieve_mask = job.sieve_mask();
    arguments.first_nonce = range.first;
    arguments.count = range.count;
    arguments.candidates = candidates.data();
    arguments.capacity = candidates.size();
    isa.scan(arguments);
    return {arguments.found, arguments.scanned_by};
}

}  // namespace gpuminer::cpu
