// The fast forms against the portable one: whole ranges, targets at the edge, workspaces that are used again.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iostream>
#include <memory>
#include <new>
#include <vector>

#include "host/text/bytes.hpp"
#include "tests/catch.hpp"
#include "tests/verushash/vectors.hpp"
#include "verushash/clhash.hpp"
#include "verushash/haraka.hpp"
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

/// The portable form from the job's key and buffer on.
std::uint32_t top_word(const PreparedJob& job, std::uint32_t nonce) {
    std::array<std::uint8_t, 64> buffer;
    std::ranges::copy(job.buffer, buffer.begin());
    store_le32(buffer, 32, nonce);
    Key key;
    std::memcpy(key.data(), job.key, sizeof job.key);
    const std::uint64_t intermediate = clhash(key, buffer);
    for (std::size_t i = 47; i < buffer.size(); ++i)
        buffer[i] = static_cast<std::uint8_t>(intermediate >> (i - 47) % 8 * 8);
    return display_order(haraka512(buffer, std::span(key).subspan(intermediate % kMutableVectors).first<40>()))
        .top_word();
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

TEST_CASE("Fast forms find what the portable form finds, where each lane is used again and again") {
    with_each_form([](Scanner& scanner) {
        test::RandomBytes random(26);
        const Header header = random_header(random);
        scanner.set_header(header);
        CHECK(found_by(scanner, {7, 400}, 0x7fffffff) == expected(header, {7, 400}, 0x7fffffff));
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

TEST_CASE("Fast forms scale -32768 by itself as the portable form does") {
    // ARM64's instruction for scaled products saturates there. No header leads to it within a test's time, so the key
    // is made: of words that are -32768 or 0. The accumulator, its vector 513, begins with operation 2, which scales
    // before it adds a product, and with a vector of the buffer that is zero.
    constexpr std::uint64_t kSelector = 2 << 2 | 1;
    for (const FastForm& form : fast_forms()) {
        if (!form.usable()) continue;
        test::RandomBytes random(25);
        const auto job = std::make_unique<PreparedJob>();
        constexpr std::align_val_t kAlignment{alignof(PreparedJob)};
        const std::shared_ptr<void> workspace(::operator new(form.workspace_bytes(), kAlignment),
                                              [](void* memory) { ::operator delete(memory, kAlignment); });
        for (std::uint32_t nonce = 0; nonce < 64; ++nonce) {
            const std::span key(job->key);
            for (std::size_t i = 0; i < key.size(); i += 2) store_le(key.subspan(i, 2), random.next() % 2 << 15);
            store_le(key.subspan(std::size_t{16} * 513, 2), (random.next() & 0xffe0) | kSelector);
            form.reset_workspace(workspace.get(), *job);
            INFO(form.name << ", nonce " << nonce);
            const std::uint32_t expected = top_word(*job, nonce);
            CHECK(form.hash_one(workspace.get(), *job, nonce, false) == expected);
            CHECK(form.hash_one(workspace.get(), *job, nonce, true) == expected);
        }
    }
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
