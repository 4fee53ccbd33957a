#include "host/search/self_test.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "host/block/checker.hpp"
#include "host/block/header.hpp"

namespace gpuminer {

namespace {

// Bitcoin block 100000, https://mempool.space/block/000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506
constexpr std::string_view kBlock =
    "0100000050120119172a610421a6c3011dd330d9df07b63616c2cc1f1cd00200000000006657a9252aacd5c0b2940996ecff952228c3067c"
    "c38d4885efb5a4ac4247e9f337221b4d4c86041b0f2b5710";
constexpr std::uint32_t kBlockNonce = 274148111;
constexpr std::uint32_t kBlockVersion = 1;
constexpr std::uint32_t kBlockTop = 0;  ///< its target's top word
constexpr std::uint32_t kAllOnes = 0xffffffff;

/// Candidates as (version index, nonce), ascending.
using Keys = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Case {
    const char* name;
    Sha256dJob job;
    NonceRange range;
    Keys expected;
};

BlockHeader block() { return parse_header_hex(kBlock).header; }

Case make_case(const char* name, const std::vector<std::uint32_t>& versions, std::uint32_t target_top,
               NonceRange range) {
    Keys expected;
    for (std::uint32_t v = 0; v < versions.size(); ++v) {
        const BlockHeader header = block().with_version(versions[v]);
        for (std::uint64_t i = 0; i < range.count; ++i) {
            const auto nonce = static_cast<std::uint32_t>(range.first + i);
            if (double_sha256(header.with_nonce(nonce).bytes).top_word() <= target_top) expected.emplace_back(v, nonce);
        }
    }
    return {name, Sha256dJob(block().bytes, versions, target_top), range, std::move(expected)};
}

std::vector<Case> make_cases() {
    const std::vector<std::uint32_t> fixed{kBlockVersion};
    // Odd sizes and positions, so that the block is found in a lane and a vector that are neither first nor last.
    const std::vector<std::uint32_t> three{0x20000000, 0x3fffe000, kBlockVersion};
    const std::vector<std::uint32_t> eight{0x20000000, 0x20002000, 0x20004000,    0x20006000,
                                           0x20008000, 0xffffffff, kBlockVersion, 0};
    std::vector<Case> cases;
    cases.push_back(make_case("block 100000", fixed, kBlockTop, {kBlockNonce - 501, 1007}));
    cases.push_back(make_case("block 100000 as the last nonce", fixed, kBlockTop, {kBlockNonce - 20, 21}));
    cases.push_back(make_case("block 100000 out of reach", fixed, kBlockTop, {kBlockNonce - 100, 100}));
    cases.push_back(make_case("block 100000 among three versions", three, kBlockTop, {kBlockNonce - 30, 37}));
    cases.push_back(make_case("block 100000 among eight versions", eight, kBlockTop, {kBlockNonce - 90, 101}));
    cases.push_back(make_case("first nonces", fixed, kAllOnes, {0, 17}));
    cases.push_back(make_case("last nonces", fixed, kAllOnes, {0xffffffff - 30, 31}));
    cases.push_back(make_case("last nonces, rolled", three, kAllOnes, {0xffffffff - 16, 17}));
    // Counts round the usual vector widths, over the nonces where a signed counter would turn negative.
    for (const std::uint64_t count : {1, 15, 16, 17, 31, 37}) {
        cases.push_back(make_case("every nonce", fixed, kAllOnes, {0x7ffffff9, count}));
    }
    // Half of the nonces pass, on both sides of the value where a signed comparison turns over.
    cases.push_back(make_case("target 7fffffff", fixed, 0x7fffffff, {1'000'000, 67}));
    cases.push_back(make_case("target 80000000", fixed, 0x80000000, {2'000'001, 67}));
    // A target equal to a nonce's own top word admits it; one below does not.
    const std::uint32_t top = double_sha256(block().with_nonce(3'000'005).bytes).top_word();
    cases.push_back(make_case("target at equality", eight, top, {3'000'000, 33}));
    cases.push_back(make_case("target below equality", fixed, top - 1, {3'000'000, 33}));
    return cases;
}

std::string describe(std::pair<std::uint32_t, std::uint32_t> key, const Case& test) {
    std::string text = "nonce " + std::to_string(key.second);
    if (test.job.rolled()) text += " with version index " + std::to_string(key.first);
    return text;
}

/// Why the device fails this case; nothing: it does not.
std::optional<std::string> failure(const Case& test, const ScanResult& result) {
    if (result.candidates.overflow()) return "it reported more candidates than it was given nonces";
    Keys found;
    for (const Candidate& c : result.candidates.items()) found.emplace_back(c.version_index, c.nonce);
    std::sort(found.begin(), found.end());
    const auto [got, want] = std::mismatch(found.begin(), found.end(), test.expected.begin(), test.expected.end());
    if (got == found.end() && want == test.expected.end()) return std::nullopt;
    const bool missed = want != test.expected.end() && (got == found.end() || *want < *got);
    return missed ? "it missed " + describe(*want, test) : "it wrongly reported " + describe(*got, test);
}

}  // namespace

std::optional<std::string> self_test(Device& device) {
    static const std::vector<Case> cases = make_cases();  // once for all devices
    ScanResult result;
    for (const Case& test : cases) {
        result.clear();
        device.scan(test.job, test.range, result);
        if (const auto reason = failure(test, result)) {
            return std::string("self-test failed (") + test.name + "): " + *reason;
        }
    }
    return std::nullopt;
}

}  // namespace gpuminer
