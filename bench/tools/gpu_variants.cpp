// Times of GPU kernel variants.
#include "bench/tools/gpu_variants.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>

#include "host/block/header.hpp"
#include "host/threads.hpp"

namespace gpuminer {
#define GPUMINER_BACKEND(variable) extern const Backend variable;
#include "gpuminer_backends.inc"
#undef GPUMINER_BACKEND
}  // namespace gpuminer

namespace gpuminer::bench {
namespace {

#define GPUMINER_BACKEND(variable) &(variable),
constexpr const Backend* kBackends[] = {
#include "gpuminer_backends.inc"
};
#undef GPUMINER_BACKEND

constexpr std::uint32_t kVersions = 8;
constexpr double kRoundSeconds = 0.1;

/// A real block's header, with a target that almost no hash meets.
Sha256dJob job_of(bool rolled) {
    const BlockHeader header = parse_header_hex(embedded_blocks().front().header_hex).header;
    std::vector<std::uint32_t> versions{header.version()};
    for (std::uint32_t v = 1; rolled && v < kVersions; ++v) versions.push_back(header.version() ^ v << 13);
    return Sha256dJob(header.bytes, versions, 0);
}

double seconds_of_scan(gpu::Engine& engine, const gpu::KernelVariant& variant, const Sha256dJob& job,
                       std::uint64_t nonces) {
    Candidates found;
    const auto start = std::chrono::steady_clock::now();
    engine.scan(variant, job, {0, nonces}, found);
    return seconds_since(start);
}

/// Number of nonces that take about a round; the first scans also raise the device's clock.
std::uint64_t nonces_of_round(gpu::Engine& engine, const gpu::KernelVariant& variant, const Sha256dJob& job) {
    std::uint64_t nonces = 1 << 14;
    while (nonces < gpu::kLargestLaunch) {
        const double seconds = seconds_of_scan(engine, variant, job, nonces);
        if (seconds >= kRoundSeconds / 2) break;
        nonces = std::min(nonces * 2, gpu::kLargestLaunch);
    }
    return nonces;
}

}  // namespace

std::vector<OpenGpu> open_gpus(bool software_too, std::ostream& notes) {
    std::vector<OpenGpu> gpus;
    for (const Backend* const backend : kBackends) {
        for (const Probe& probe : backend->probe({})) {
            if (probe.info.is_cpu() || (probe.info.software && !software_too)) continue;
            try {
                if (!probe.usable) throw DeviceError(probe.reason);
                auto device = backend->open(probe, {.tuning_seconds = 0});
                gpu::Engine* const engine = gpu::engine_of(*device);
                gpus.push_back({std::move(device), engine});
            } catch (const DeviceError& error) {
                notes << probe.info.name << " is not measured: " << error.what() << '\n';
            }
        }
    }
    return gpus;
}

double VariantTimes::rate(double quantile) const {
    const auto last = static_cast<double>(seconds.size() - 1);
    const auto place =
        static_cast<std::size_t>(std::lround((1 - quantile) * last));  // the shortest time is the highest rate
    return static_cast<double>(hashes) / seconds[place];
}

std::vector<VariantTimes> time_variants(gpu::Engine& engine, unsigned rounds) {
    engine.attach_thread();
    const Sha256dJob jobs[] = {job_of(false), job_of(true)};
    std::vector<VariantTimes> all;
    for (const bool rolled : {false, true}) {
        for (const gpu::KernelVariant& variant : engine.variants(rolled)) {
            engine.prepare(variant, rolled);
            const std::uint32_t versions = rolled ? kVersions : 1;
            all.push_back({rolled, versions, variant, nonces_of_round(engine, variant, jobs[rolled]) * versions, {}});
        }
    }
    for (unsigned round = 0; round <= rounds; ++round) {
        for (VariantTimes& one : all) {
            const double seconds = seconds_of_scan(engine, one.variant, jobs[one.rolled], one.hashes / one.versions);
            if (round > 0) one.seconds.push_back(seconds);
        }
    }
    for (VariantTimes& one : all) std::sort(one.seconds.begin(), one.seconds.end());
    return all;
}

}  // namespace gpuminer::bench
