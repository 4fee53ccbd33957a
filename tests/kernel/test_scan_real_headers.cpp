// Tests of every ISA with every real block, whose nonce it finds alone and with its version among several.
#include "scan_tools.hpp"
#include "tests/real_headers.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

/// From `before` nonces before the true one to `after` behind it, clipped at the ends of the nonce space.
NonceRange window(std::uint32_t nonce, std::uint32_t before, std::uint32_t after) {
    const std::uint32_t first = nonce - std::min(before, nonce);
    const std::uint64_t last = std::min<std::uint64_t>(std::uint64_t{nonce} + after, 0xffffffff);
    return {first, last - first + 1};
}

/// Nothing found but hits of the target's top word, each once, the real block's nonce and version among them.
void check_scan(const cpu::Isa& isa, const RealHeader& real, const Versions& versions, NonceRange range) {
    INFO(real.network << " " << real.height << ", " << real.header.hex() << ", " << versions.size() << " versions");
    const Hash256 target = target_from_nbits(real.header.nbits());
    const Keys keys = scan(isa, job_of(real.header, versions, target.top_word()), range);
    bool found = false;
    for (const auto& [version_index, nonce] : keys) {
        const BlockHeader candidate = real.header.with_version(versions.at(version_index)).with_nonce(nonce);
        const Checked checked = check(candidate, target);
        const bool in_range = std::uint64_t{nonce} - range.first < range.count;
        if (!in_range || checked.verdict == Verdict::wrong) FAIL("wrong candidate " << candidate.hex());
        found |= candidate == real.header && checked.hash == real.hash && checked.verdict == Verdict::hit;
    }
    if (!found) FAIL("the nonce is not found from " << range.first << ", " << range.count << " nonces");
    if (std::adjacent_find(keys.begin(), keys.end()) != keys.end()) FAIL("a candidate is found twice");
}

}  // namespace

TEMPLATE_TEST_CASE("every real header is found", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const auto headers = load_real_headers();
    REQUIRE(headers.size() == 7205);
    for (std::uint32_t i = 0; i < headers.size(); ++i) {
        if (!in_sample(isa->name, i)) continue;
        // Each distance to the window's ends, up to more than a block of eight of the widest vectors: the nonce
        // comes to lie in every lane and every place of a block.
        const NonceRange range = window(headers[i].header.nonce(), i * 7 % 151, i * 13 % 149);
        check_scan(*isa, headers[i], {headers[i].header.version()}, range);
    }
}

TEMPLATE_TEST_CASE("every real header is found with its version among several", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    constexpr std::uint32_t kRolledBits = 0x1fffe000;  // BIP 320
    const auto headers = load_real_headers();
    unsigned rolled_by_their_miners = 0;
    for (std::uint32_t i = 0; i < headers.size(); ++i) {
        const std::uint32_t version = headers[i].header.version();
        rolled_by_their_miners += version >> 29 == 1 && (version & kRolledBits) != 0 ? 1 : 0;
        if (!in_sample(isa->name, i)) continue;
        // One of the counts for each header, a thousand headers for each count: woven forms take long to begin a scan.
        const std::uint32_t count = kVersionCounts[1 + i % (kVersionCounts.size() - 1)];
        // Versions that differ in BIP 320's bits, which are bits 13 to 28; the true one in any place.
        const std::uint32_t place = (i + i / 17) % count;
        Versions versions;
        for (std::uint32_t v = 0; v < count; ++v) versions.push_back(version ^ (v + count - place) % count << 13);
        if (versions[place] != version) FAIL("the test is wrong");
        check_scan(*isa, headers[i], versions, window(headers[i].header.nonce(), i / 7 % 7, i / 5 % 6));
    }
    CHECK(rolled_by_their_miners > 2500);
}
