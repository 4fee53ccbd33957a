// Tests of every ISA with targets at the edges, and with more candidates than there is room for.
#include "random_headers.hpp"
#include "scan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr NonceRange kRange{0x7fffffd3, 107};  // unaligned at both ends
constexpr std::array<std::uint32_t, 3> kSomeVersionCounts = {1, 2, 9};

}  // namespace

TEMPLATE_TEST_CASE("targets at the edges of the sieve", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = random_headers(1, 20).front();
    const Oracle oracle(header, some_versions(9), kRange);
    std::vector<std::uint32_t> targets = {
        0,           // only a top word of zero passes: here none
        0xffffffff,  // every nonce passes
        0xfffffffe,  // all but one in 2^32: the sieve lets everything through, the comparison does not
    };
    // Either side of each power of two: the sieve looks at whole leading zero bits, and where the top bit
    // changes a signed comparison would turn over.
    for (int bit = 20; bit < 32; ++bit) targets.insert(targets.end(), {(1u << bit) - 1, 1u << bit, (1u << bit) + 1});
    for (const std::uint32_t versions : kSomeVersionCounts) {
        for (const std::uint32_t target_top : targets) {
            INFO(versions << " versions, target " << target_top);
            REQUIRE(scan(*isa, job_of(header, some_versions(versions), target_top), kRange) ==
                    oracle.keys(versions, kRange, target_top));
        }
    }
    CHECK(oracle.keys(9, kRange, 0).empty());
    CHECK(oracle.keys(9, kRange, 0xffffffff).size() == 9 * kRange.count);
}

TEMPLATE_TEST_CASE("a target equal to a hash's top word admits it, one below does not", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = random_headers(1, 21).front();
    const Oracle oracle(header, some_versions(9), kRange);
    for (const std::uint32_t versions : kSomeVersionCounts) {
        for (std::uint32_t offset = 0; offset < kRange.count; offset += 3) {
            const std::uint32_t version_index = offset % versions;
            const std::uint32_t top = oracle.top(version_index, offset);
            const std::pair key{version_index, kRange.first + offset};
            INFO(versions << " versions, top word " << top);
            const Keys at = scan(*isa, job_of(header, some_versions(versions), top), kRange);
            REQUIRE(at == oracle.keys(versions, kRange, top));
            REQUIRE(std::binary_search(at.begin(), at.end(), key));
            const Keys below = scan(*isa, job_of(header, some_versions(versions), top - 1), kRange);
            REQUIRE(below == oracle.keys(versions, kRange, top - 1));
            REQUIRE_FALSE(std::binary_search(below.begin(), below.end(), key));
        }
    }
}

TEMPLATE_TEST_CASE("with a target of zero a nonce whose top word is zero is found, alone", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    for (const EmbeddedBlock& block : embedded_blocks()) {
        const BlockHeader header = parse_header_hex(block.header_hex).header;
        if (double_sha256(header.bytes).top_word() != 0) continue;  // mined at less than difficulty 1
        const std::uint32_t nonce = header.nonce();
        INFO(block.name);
        REQUIRE(scan(*isa, job_of(header, {header.version()}, 0), {nonce - 500, 1000}) == Keys{{0, nonce}});
        REQUIRE(scan(*isa, job_of(header, {7, header.version()}, 0), {nonce - 50, 100}) == Keys{{1, nonce}});
        REQUIRE(scan(*isa, job_of(header, {header.version()}, 0), {nonce - 100, 100}).empty());  // ends one before
        REQUIRE(scan(*isa, job_of(header, {header.version()}, 0), {nonce + 1, 100}).empty());
    }
}

TEMPLATE_TEST_CASE("candidates for which there is no room are counted and not written", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = random_headers(1, 22).front();
    constexpr NonceRange kHundred{9, 100};
    constexpr Candidate kUntouched{77, 77777};
    for (const std::uint32_t versions : kSomeVersionCounts) {
        const Sha256dJob job = job_of(header, some_versions(versions), 0xffffffff);
        const std::size_t hits = kHundred.count * versions;
        // Room for none, for one, for part of a vector, for one less than all, for all, and for more.
        for (const std::size_t room : {std::size_t{0}, std::size_t{1}, std::size_t{21}, hits - 1, hits, hits + 1}) {
            INFO(versions << " versions, room for " << room);
            std::vector<Candidate> found(room + 8, kUntouched);
            const cpu::ScanOutcome outcome = cpu::scan(*isa, job, kHundred, std::span(found).first(room));
            REQUIRE(outcome.found == hits);
            for (std::size_t i = std::min(room, hits); i < found.size(); ++i) REQUIRE(found[i] == kUntouched);
            Keys keys;
            for (std::size_t i = 0; i < std::min(room, hits); ++i) {
                REQUIRE(std::uint64_t{found[i].nonce} - kHundred.first < kHundred.count);
                REQUIRE(found[i].version_index < versions);
                keys.emplace_back(found[i].version_index, found[i].nonce);
            }
            std::sort(keys.begin(), keys.end());
            REQUIRE(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
        }
    }
}
