// The fast forms against the portable one: whole ranges, targets at the edge, workspaces that are used again.
#include <algorithm>
#include <iostream>
#include <vector>

#include "tests/catch.hpp"
#include "tests/verushash/vectors.hpp"
#include "verushash/hash.hpp"
#include "verushash/scanner.hpp"

using namespace gpuminer;
using namespace gpuminer::verushash;

namespace {

constexpr std::uint32_t kAllOnes = 0xffffffff;

/// A header with random content; seven, three or no chains, the first of which may be its own.
Header random_header(test::RandomBytes& random) {
    Bytes bytes = random.take(kHeaderBytes);
    store_le32(bytes, 0, kBlockVersion);
    store_le(std::span(bytes).subspan(140, 3), 0x0540fd);
    store_le32(bytes, 143, 4 + static_cast<std::uint32_t>(random.next() % 4));
    bytes[148] = static_cast<std::uint8_t>(random.next() % 8);
    return parse_header(bytes);
}

std::uint32_t top_word(const Header& header, std::uint32_t nonce) {
    return display_order(hash_header(header.with_nonce(nonce))).top_word();
}

using Nonces = std::vector<std::uint32_t>;

Nonces found_by(Scanner& scanner, NonceRange range, std::uint32_t target_top) {
    Candidates candidates;
    scanner.scan(range, target_top, candidates);
    CHECK_FALSE(candidates.overflow());
    Nonces nonces;
    for (const Candidate& candidate : candidates.items()) {
        CHECK(candidate.version_index == 0);
        nonces.push_back(candidate.nonce);
    }
    std::ranges::sort(nonces);
    return nonces;
}

Nonces expected(const Header& header, NonceRange range, std::uint32_t target_top) {
    Nonces nonces;
    for (std::uint64_t i = 0; i < range.count; ++i) {
        const auto nonce = static_cast<std::uint32_t>(range.first + i);
        if (top_word(header, nonce) <= target_top) nonces.push_back(nonce);
    }
    return nonces;
}

/// Each fast form that can run here.
template <typename Test>
void with_each_form(Test test) {
    bool ran = false;
    for (const FastForm& form : fast_forms()) {
        if (!form.usable()) continue;
        INFO(form.name);
        Scanner scanner(form);
        test(scanner);
        ran = true;
    }
    if (!ran) std::cout << "SKIPPED: this CPU can run no fast form of VerusHash\n";
}

}  // namespace

TEST_CASE("Fast forms find what the portable form finds, header by header") {
    with_each_form([](Scanner& scanner) {
        test::RandomBytes random(20);
        for (int i = 0; i < 40; ++i) {
            const Header header = random_header(random);
            const NonceRange range{static_cast<std::uint32_t>(random.next() % (kAllOnes - 100)), 40};
            INFO("header " << to_hex(header.bytes) << ", nonces from " << range.first);
            scanner.set_header(header);
            CHECK(found_by(scanner, range, 0x3fffffff) == expected(header, range, 0x3fffffff));
        }
    });
}

TEST_CASE("Fast forms take every nonce of a range once, whatever its length") {
    with_each_form([](Scanner& scanner) {
        test::RandomBytes random(21);
        scanner.set_header(random_header(random));
        // Around the number of lanes (32), and where a signed nonce would turn over; up to the last nonce of all.
        for (const std::uint64_t count : {1, 2, 3, 4, 5, 31, 32, 33, 36, 37, 64, 65, 1000}) {
            for (const std::uint64_t first : {std::uint64_t{0}, 0x7ffffff0 + count % 3, 0x100000000 - count}) {
                const Nonces nonces = found_by(scanner, {static_cast<std::uint32_t>(first), count}, kAllOnes);
                REQUIRE(nonces.size() == count);
                for (std::size_t i = 0; i < nonces.size(); ++i) REQUIRE(nonces[i] == first + i);
            }
        }
    });
}

TEST_CASE("Fast forms take a target at equality, and not one below") {
    with_each_form([](Scanner& scanner) {
        test::RandomBytes random(22);
        const Header header = random_header(random);
        scanner.set_header(header);
        for (std::uint32_t nonce = 1000; nonce < 1100; ++nonce) {
            const std::uint32_t top = top_word(header, nonce);
            INFO("nonce " << nonce);
            CHECK(found_by(scanner, {nonce, 1}, top) == Nonces{nonce});
            CHECK(found_by(scanner, {nonce, 1}, top - 1).empty());
        }
    });
}

TEST_CASE("Fast forms leave their workspace as it was") {
    with_each_form([](Scanner& scanner) {
        test::RandomBytes random(23);
        const Header one = random_header(random), other = random_header(random);
        scanner.set_header(one);
        const Nonces first = found_by(scanner, {5, 20'000}, 0xffffff);
        CHECK(first.size() > 20);
        CHECK(found_by(scanner, {5, 20'000}, 0xffffff) == first);
        scanner.set_header(other);
        CHECK(found_by(scanner, {5, 20'000}, 0xffffff) != first);
        scanner.set_header(one);
        // In two pieces, of which the first leaves lanes in other places.
        Nonces pieces = found_by(scanner, {5, 777}, 0xffffff);
        const Nonces rest = found_by(scanner, {5 + 777, 20'000 - 777}, 0xffffff);
        pieces.insert(pieces.end(), rest.begin(), rest.end());
        CHECK(pieces == first);
    });
}

TEST_CASE("More candidates than there is room for are an overflow") {
    with_each_form([](Scanner& scanner) {
        test::RandomBytes random(24);
        scanner.set_header(random_header(random));
        Candidates candidates;
        scanner.scan({0, Candidates::kCapacity}, kAllOnes, candidates);
        CHECK_FALSE(candidates.overflow());
        candidates.clear();
        scanner.scan({0, Candidates::kCapacity + 1}, kAllOnes, candidates);
        CHECK(candidates.overflow());
    });
}
