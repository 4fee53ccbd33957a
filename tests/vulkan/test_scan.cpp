// Tests of every shader with OpenSSL's hashes. (tests/backends does more of that, with the variants that a device
// offers.)
#include "vulkan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr std::uint64_t kNonceSpace = std::uint64_t{1} << 32;
constexpr std::uint32_t kQuarter = 0x3fffffff;  // a quarter of all nonces passes

}  // namespace

TEST_CASE("nasty ranges with every Vulkan shader") {
    // One nonce; round 32 nonces of an invocation, 64 of a group, 32 × 64 of a group of the shader for software.
    const std::vector<std::uint64_t> counts = {1, 31, 32, 33, 63, 64, 65, 2047, 2048, 2049};
    // Versions: odd ones, round the usual eight, more than one launch takes.
    const std::vector<std::uint32_t> version_counts = {1, 2, 3, 7, 8, 9, 64, 65, 130};
    const BlockHeader header = random_headers(1, 40).front();
    for (const Probe& probe : devices_here()) {
        const auto engine = vulkan::make_engine(probe);
        for (const std::uint32_t start : {0U, 0xf9U, 0x00fffff5U, static_cast<std::uint32_t>(kNonceSpace - 2049)}) {
            const Oracle oracle(header, some_versions(version_counts.back()), {start, counts.back()});
            for (const std::uint32_t versions : version_counts) {
                for (const std::uint64_t count : counts) {
                    if (versions > 9 && (count > 65 || start != 0xf9)) continue;
                    // Ends with the last nonce of all, if the longest range does.
                    const auto first =
                        start > kNonceSpace / 2 ? static_cast<std::uint32_t>(kNonceSpace - count) : start;
                    const Keys expected = oracle.keys(versions, {first, count}, kQuarter);
                    for (const gpu::KernelVariant& variant : every_shader(64)) {
                        INFO(probe.info.name << " " << to_string(variant) << ", " << versions << " versions, " << count
                                             << " nonces from " << first);
                        REQUIRE(scan(*engine, variant, job_of(header, some_versions(versions), kQuarter),
                                     {first, count}) == expected);
                    }
                }
            }
        }
    }
}

TEST_CASE("other sizes of work groups with every Vulkan shader") {
    const BlockHeader header = random_headers(1, 41).front();
    const NonceRange range{0x7ffffff9, 2000};
    const Oracle oracle(header, some_versions(3), range);
    for (const Probe& probe : devices_here()) {
        const auto engine = vulkan::make_engine(probe);
        for (const std::uint32_t versions : {1U, 3U}) {
            std::vector<gpu::KernelVariant> variants = every_shader(128);
            for (const gpu::KernelVariant& variant : engine->variants(versions > 1)) variants.push_back(variant);
            for (const gpu::KernelVariant& variant : variants) {
                INFO(probe.info.name << " " << to_string(variant) << ", " << versions << " versions");
                REQUIRE(scan(*engine, variant, job_of(header, some_versions(versions), kQuarter), range) ==
                        oracle.keys(versions, range, kQuarter));
            }
        }
    }
}

TEST_CASE("a Vulkan launch of several rows of work groups") {
    // More than the 65,535 groups that some devices take in a row.
    const NonceRange range{12345, 65535 * 64 + 12345};
    constexpr std::uint32_t kFew = 0x0000ffff;
    const BlockHeader header = random_headers(1, 42).front();
    const auto probes = devices_here();
    if (probes.empty()) return;
    const Oracle oracle(header, some_versions(1), range);
    for (const Probe& probe : probes) {
        const auto engine = vulkan::make_engine(probe);
        const gpu::KernelVariant variant{gpu::Mix::kPlain, 1, 64};
        const Keys keys = scan(*engine, variant, job_of(header, some_versions(1), kFew), range);
        REQUIRE(keys.size() > 20);
        REQUIRE(keys == oracle.keys(1, range, kFew));
    }
}

TEST_CASE("Vulkan results that just fit, and one more") {
    const BlockHeader header = random_headers(1, 43).front();
    for (const Probe& probe : devices_here()) {
        const auto engine = vulkan::make_engine(probe);
        for (const std::uint32_t versions : {1U, 8U, 128U}) {
            const Sha256dJob job = job_of(header, some_versions(versions), 0xffffffff);  // every nonce is a candidate
            const std::uint64_t fitting = Candidates::kCapacity / versions;
            for (const gpu::KernelVariant& variant : every_shader(64)) {
                INFO(probe.info.name << " " << to_string(variant) << ", " << versions << " versions");
                const Keys keys = scan(*engine, variant, job, {100, fitting});
                REQUIRE(keys.size() == Candidates::kCapacity);
                REQUIRE(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
                REQUIRE(keys.back() == std::pair(versions - 1, static_cast<std::uint32_t>(100 + fitting - 1)));
                for (const std::uint64_t more : {fitting + 1, fitting * 5}) {
                    Candidates found;
                    engine->scan(variant, job, {100, more}, found);
                    REQUIRE(found.overflow());
                }
                // Nothing is left behind; nothing at all is found where there is nothing to scan.
                REQUIRE(scan(*engine, variant, job, {200, 3}).size() == 3 * versions);
                REQUIRE(scan(*engine, variant, job, {200, 0}).empty());
            }
        }
    }
}

TEST_CASE("targets at the edges with every Vulkan shader") {
    const BlockHeader header = random_headers(1, 44).front();
    const NonceRange range{0x12345, 700};
    const Oracle oracle(header, some_versions(2), range);
    for (const Probe& probe : devices_here()) {
        const auto engine = vulkan::make_engine(probe);
        for (const std::uint32_t versions : {1U, 2U}) {
            for (const std::uint32_t target_top : {0U, 1U, 0x7fffffU, 0x800000U, 0x800001U, 0xfffffffeU, 0xffffffffU,
                                                   oracle.top(0, 7), oracle.top(0, 7) - 1, oracle.top(1, 9)}) {
                for (const gpu::KernelVariant& variant : every_shader(64)) {
                    INFO(probe.info.name << " " << to_string(variant) << ", target " << target_top);
                    REQUIRE(scan(*engine, variant, job_of(header, some_versions(versions), target_top), range) ==
                            oracle.keys(versions, range, target_top));
                }
            }
        }
    }
}
