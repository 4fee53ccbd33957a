// Tests of the CUDA kernels' code for one thread, compiled for the CPU: every mix of verbs and both forms,
// against OpenSSL.
#include "host/gpu/engine.hpp"
#include "tests/kernel/random_headers.hpp"
#include "tests/kernel/scan_tools.hpp"
#include "tests/real_headers.hpp"
#include "threads.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

template <gpu::Mix kValue>
struct MixIs {
    static constexpr int kNumber = static_cast<int>(kValue);
};
using Plain = MixIs<gpu::Mix::kPlain>;
using Adds = MixIs<gpu::Mix::kAdds>;
using AllAdds = MixIs<gpu::Mix::kAllAdds>;
using AddsShiftsRotations = MixIs<gpu::Mix::kAddsShiftsRotations>;
#define GPUMINER_EVERY_MIX Plain, Adds, AllAdds, AddsShiftsRotations

/// What a launch with whole blocks of 128 threads finds.
template <int kMix>
Keys scan(const Sha256dJob& job, NonceRange range) {
    Keys keys;
    const auto found = [&](cuda::word version_index, cuda::word nonce) { keys.emplace_back(version_index, nonce); };
    const auto threads = static_cast<cuda::word>((range.count + 127) / 128 * 128);
    const auto versions = static_cast<cuda::word>(job.versions().size());
    if (job.rolled()) {
        cuda::RolledLaunch launch{gpu::launch_words(job, range), 0, {}, {}};
        std::ranges::copy(job.job_words(), launch.job);
        for (cuda::word v = 0; v < versions; ++v) std::ranges::copy(job.version_words(v), launch.version[v]);
        run_threads<kMix>(launch, threads, found);
    } else {
        cuda::FixedLaunch launch{gpu::launch_words(job, range), {}};
        std::ranges::copy(job.job_words(), launch.job);
        run_threads<kMix>(launch, threads, found);
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

constexpr std::uint32_t kQuarter = 0x3fffffff;  // a quarter of all nonces passes

}  // namespace

TEMPLATE_TEST_CASE("the CUDA code for one thread finds what OpenSSL finds", "", GPUMINER_EVERY_MIX) {
    const BlockHeader header = random_headers(1, 30).front();
    for (const std::uint32_t start : {0u, 0x00fffff5u, 0x7ffffff9u, 0xfffffe00u}) {
        const Oracle oracle(header, some_versions(17), {start, 300});
        for (const std::uint32_t versions : kVersionCounts) {
            const Sha256dJob job = job_of(header, some_versions(versions), kQuarter);
            for (const std::uint64_t count : {1, 127, 128, 129, 300}) {
                INFO(versions << " versions, " << count << " nonces from " << start);
                REQUIRE(scan<TestType::kNumber>(job, {start, count}) ==
                        oracle.keys(versions, {start, count}, kQuarter));
            }
        }
    }
}

TEMPLATE_TEST_CASE("the CUDA code for one thread with every kind of target", "", GPUMINER_EVERY_MIX) {
    const BlockHeader header = random_headers(1, 31).front();
    const NonceRange range{0xffffff38, 200};  // up to the last nonce of all
    const Oracle oracle(header, some_versions(2), range);
    // All, none, and either side of what the cheap first test can tell apart.
    for (const std::uint32_t target : {0xffffffffu, 0u, 0x80000000u, 0x7fffffffu, 0x40000001u, 0x00ffffffu}) {
        for (const std::uint32_t versions : {1u, 2u}) {
            INFO(versions << " versions, target " << target);
            const Sha256dJob job = job_of(header, some_versions(versions), target);
            REQUIRE(scan<TestType::kNumber>(job, range) == oracle.keys(versions, range, target));
        }
    }
}

TEMPLATE_TEST_CASE("the CUDA code for one thread finds the nonces of real blocks", "", GPUMINER_EVERY_MIX) {
    for (const RealHeader& real : load_real_headers()) {
        const std::uint32_t top = real.hash.top_word();
        const std::uint32_t nonce = real.header.nonce();
        const Keys expected{{0, nonce}};
        INFO(real.network << " " << real.height);
        REQUIRE(scan<TestType::kNumber>(job_of(real.header, {real.header.version()}, top), {nonce, 1}) == expected);
        REQUIRE(scan<TestType::kNumber>(job_of(real.header, {real.header.version(), ~real.header.version()}, top),
                                        {nonce, 1}) == expected);
    }
}
