#include "cpu/isa.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "host/clock.hpp"

namespace gpuminer::cpu {
namespace {

constexpr std::array kFacts = {
#define GPUMINER_ISA(name, title, lanes, vocabulary) IsaFacts{#name, title, lanes, Vocabulary::vocabulary},
#include "cpu/isa_list.inc"
};

constexpr std::array kForms = {
#define GPUMINER_SEARCH(isa, function, need, description) \
    Isa{#isa, description, function, Needs::need().feature, Needs::need().missing},
#include "cpu/isa_list.inc"
};

/// Seconds for a small search, a few blocks of the largest kernel.
double seconds_of(const Isa& isa, const ScanJob& job) {
    constexpr std::uint64_t kHashes = 2048;
    std::array<Candidate, 1> none;
    const auto start = std::chrono::steady_clock::now();
    scan(isa, job, {0, kHashes / job.versions().size()}, none);
    return seconds_since(start);
}

ScanJob job_of_versions(std::span<const std::uint32_t> versions) {
    const std::array<std::uint8_t, 80> header{};
    return ScanJob(header, versions, 0);
}

/// The best of three, so that an interruption does not decide.
double time_isa(const Isa& isa, const ScanJob& job) {
    double best = 1e9;
    for (int round = 0; round < 3; ++round) best = std::min(best, seconds_of(isa, job));
    return best;
}

/// Whether `form` is clearly faster than `other`, for one version and several together. In turns, because the first
/// runs wake wide units up; the best of several rounds each. Not only the CPU decides: code that does not fit its cache
/// of decoded instructions may be fast or slow with the memory pages that it happened to be loaded to.
bool is_faster(const Isa& form, const Isa& other) {
    constexpr double kClearly = 0.97;
    constexpr std::array<std::uint32_t, 8> kVersions = {1, 2, 3, 4, 5, 6, 7, 8};
    double seconds = 0, seconds_of_other = 0;
    for (const std::size_t versions : {std::size_t{1}, kVersions.size()}) {
        const ScanJob job = job_of_versions(std::span(kVersions).first(versions));
        double best = 1e9, best_of_other = 1e9;
        for (int round = 0; round < 4; ++round) {
            best_of_other = std::min(best_of_other, seconds_of(other, job));
            best = std::min(best, seconds_of(form, job));
        }
        seconds += best;
        seconds_of_other += best_of_other;
    }
    return seconds < kClearly * seconds_of_other;
}

std::vector<Isa> choose_forms(const Features& features) {
    std::vector<Isa> chosen;
    for (const Isa& form : kForms) {
        if (chosen.empty() || std::string_view(chosen.back().name) != form.name) {
            chosen.push_back(form);
        } else if (usable(form, features) && is_faster(form, chosen.back())) {
            chosen.back() = form;
        }
    }
    return chosen;
}

}  // namespace

std::span<const IsaFacts> isa_facts() { return kFacts; }

const IsaFacts* facts_of(std::string_view name) {
    const auto* const found = std::ranges::find(kFacts, name, &IsaFacts::name);
    return found == kFacts.end() ? nullptr : found;
}

std::span<const Isa> isa_forms() { return kForms; }

std::span<const Isa> isas() {
    static const std::vector<Isa> chosen = choose_forms(detect_features());
    return chosen;
}

const Isa* find_isa(std::string_view name) {
    for (const Isa& isa : isas()) {
        if (isa.name == name) return &isa;
    }
    return nullptr;
}

const Isa& fastest_isa(const Features& features) {
    const std::array<std::uint32_t, 1> version = {1};
    const ScanJob job = job_of_versions(version);
    const Isa* fastest = nullptr;
    double best = 0;
    for (const Isa& isa : isas()) {
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
