// Tests of every ISA and version count over ranges that are likely to be cut wrongly, compared nonce by nonce with the
// checker.
#include <set>

#include "random_headers.hpp"
#include "scan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr std::uint64_t kNonceSpace = std::uint64_t{1} << 32;
constexpr std::uint32_t kQuarter = 0x3fffffff;  // a quarter of all nonces passes: several hits in most vectors
constexpr std::uint64_t kLongest = 129;

// Counts around one vector and around a block of eight vectors, for each width (1, 2, 4, 8, 16; two vectors of 16 at a
// time, in blocks of four pairs, have counts of their own among these).
std::set<std::uint64_t> nasty_counts() {
    std::set<std::uint64_t> counts = {
        1,   // the shortest range: a single nonce
        31,  // 16+8+4+2+1: a remainder for every width
    };
    for (const std::uint64_t width : {1, 2, 4, 8, 16}) {
        for (const std::uint64_t vectors : {1, 8}) {
            counts.insert({width * vectors, width * vectors + 1});        // whole vectors or blocks, and one nonce more
            if (width * vectors > 1) counts.insert(width * vectors - 1);  // the last lane is out of range
        }
    }
    return counts;
}

constexpr std::array<std::uint32_t, 7> kNastyStarts = {
    0,           // the first nonce
    3,           // aligned to no vector; the scan starts in a vector that begins before the range
    0xf9,        // crosses from one low byte to the next: lanes are told apart in that byte
    0xffed,      // crosses the second byte, unaligned
    0x00fffff5,  // crosses the third
    0x7ffffff9,  // crosses to where a signed number turns negative
    0xfffffe05,  // near the end, unaligned
};

}  // namespace

TEMPLATE_TEST_CASE("nasty ranges, every version count", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = random_headers(1, 10).front();
    const Versions all_versions = some_versions(kVersionCounts.back());
    for (const std::uint32_t start : kNastyStarts) {
        const Oracle oracle(header, all_versions, {start, kLongest});
        for (const std::uint32_t versions : kVersionCounts) {
            const Sha256dJob job = job_of(header, some_versions(versions), kQuarter);
            for (const std::uint64_t count : nasty_counts()) {
                INFO(versions << " versions, " << count << " nonces from " << start);
                REQUIRE(scan(*isa, job, {start, count}) == oracle.keys(versions, {start, count}, kQuarter));
            }
        }
    }
}

TEMPLATE_TEST_CASE("around the largest block: 64 pairs of vectors", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = random_headers(1, 12).front();
    constexpr std::uint32_t kStart = 0x00fffff5;
    constexpr std::uint64_t kBlockNonces = 64 * 2 * 16;
    const Oracle oracle(header, some_versions(9), {kStart, 2 * kBlockNonces + 12});
    for (const std::uint32_t versions : {1u, 9u}) {
        const Sha256dJob job = job_of(header, some_versions(versions), kQuarter);
        for (const std::uint64_t count : {kBlockNonces - 1, kBlockNonces, kBlockNonces + 11, kBlockNonces + 12,
                                          2 * kBlockNonces + 11, 2 * kBlockNonces + 12}) {
            INFO(versions << " versions, " << count << " nonces");
            REQUIRE(scan(*isa, job, {kStart, count}) == oracle.keys(versions, {kStart, count}, kQuarter));
        }
    }
}

TEMPLATE_TEST_CASE("ranges that end with the last nonce of all", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = random_headers(1, 11).front();
    const Oracle oracle(header, some_versions(kVersionCounts.back()),
                        {static_cast<std::uint32_t>(kNonceSpace - kLongest), kLongest});
    for (const std::uint32_t versions : kVersionCounts) {
        const Sha256dJob job = job_of(header, some_versions(versions), kQuarter);
        for (const std::uint64_t count : nasty_counts()) {
            const NonceRange range{static_cast<std::uint32_t>(kNonceSpace - count), count};
            INFO(versions << " versions, " << count << " nonces up to ffffffff");
            REQUIRE(scan(*isa, job, range) == oracle.keys(versions, range, kQuarter));
        }
    }
}

TEMPLATE_TEST_CASE("any start within a vector, any end within another", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = random_headers(1, 12).front();
    const NonceRange whole{0x12345670, 48};
    const Oracle oracle(header, some_versions(3), whole);
    for (const std::uint32_t versions : {1u, 3u}) {
        const Sha256dJob job = job_of(header, some_versions(versions), kQuarter);
        for (std::uint32_t skip = 0; skip < 17; ++skip) {
            for (std::uint32_t count = 1; count <= whole.count - skip; ++count) {
                const NonceRange range{whole.first + skip, count};
                INFO(versions << " versions, " << count << " nonces from " << range.first);
                REQUIRE(scan(*isa, job, range) == oracle.keys(versions, range, kQuarter));
            }
        }
    }
}

TEMPLATE_TEST_CASE("random headers, versions, ranges and targets", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    Random random(13);
    for (int i = 0; i < 120; ++i) {
        const BlockHeader header = random_header(random);
        Versions versions;
        for (std::uint32_t v = 0; v < 1 + random() % 20; ++v) versions.push_back(static_cast<std::uint32_t>(random()));
        const std::uint64_t count = 1 + random() % 300;
        const auto first = static_cast<std::uint32_t>(random() % (kNonceSpace - count + 1));
        const auto target_top = static_cast<std::uint32_t>(random() >> random() % 7);  // all to one in 64 of the nonces
        const auto n = static_cast<std::uint32_t>(versions.size());
        INFO(header.hex() << ", " << n << " versions, " << count << " nonces from " << first << ", target "
                          << target_top);
        const Oracle oracle(header, versions, {first, count});
        REQUIRE(scan(*isa, job_of(header, versions, target_top), {first, count}) ==
                oracle.keys(n, {first, count}, target_top));
    }
}

TEMPLATE_TEST_CASE("a long range that crosses two bytes of the nonce", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = random_headers(1, 14).front();
    const NonceRange range{0x00feff01, 0x2345};
    const Oracle oracle(header, some_versions(2), range);
    for (const std::uint32_t versions : {1u, 2u}) {
        const Keys keys = scan(*isa, job_of(header, some_versions(versions), 0x00ffffff), range);
        REQUIRE(keys == oracle.keys(versions, range, 0x00ffffff));
        CHECK(keys.size() > 10);
    }
}

TEMPLATE_TEST_CASE("the same version twice is found for each of its places", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = random_headers(1, 15).front();
    const Versions versions(9, 0x20000000);
    const NonceRange range{5, 40};
    const Oracle oracle(header, versions, range);
    REQUIRE(scan(*isa, job_of(header, versions, kQuarter), range) == oracle.keys(9, range, kQuarter));
}
