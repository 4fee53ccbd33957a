// The library's search for nonces against OpenSSL, and its endings: range, time limit, cancel flag, refusals.
#include <atomic>
#include <cstring>
#include <limits>
#include <thread>

#include "library/include/gpuminer.h"
#include "tests/catch.hpp"
#include "tests/library/oracle.hpp"

using namespace gpuminer::test;

namespace {

// Bitcoin block 100000.
constexpr std::array<std::uint8_t, 80> kBlock = {
    0x01, 0x00, 0x00, 0x00, 0x50, 0x12, 0x01, 0x19, 0x17, 0x2a, 0x61, 0x04, 0x21, 0xa6, 0xc3, 0x01,
    0x1d, 0xd3, 0x30, 0xd9, 0xdf, 0x07, 0xb6, 0x36, 0x16, 0xc2, 0xcc, 0x1f, 0x1c, 0xd0, 0x02, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x66, 0x57, 0xa9, 0x25, 0x2a, 0xac, 0xd5, 0xc0, 0xb2, 0x94, 0x09, 0x96,
    0xec, 0xff, 0x95, 0x22, 0x28, 0xc3, 0x06, 0x7c, 0xc3, 0x8d, 0x48, 0x85, 0xef, 0xb5, 0xa4, 0xac,
    0x42, 0x47, 0xe9, 0xf3, 0x37, 0x22, 0x1b, 0x4d, 0x4c, 0x86, 0x04, 0x1b, 0x0f, 0x2b, 0x57, 0x10};
constexpr std::uint32_t kBlockNonce = 274148111;
constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
constexpr Hash kNothing{};  ///< a target that no hash meets

gm_search search_of(std::span<const std::uint8_t> header, std::uint32_t first, std::uint32_t last) {
    gm_search search{};
    std::memcpy(search.header, header.data(), sizeof search.header);
    search.first = first;
    search.last = last;
    search.threads = 1;
    return search;
}

gm_search_result run(const gm_search& search) {
    gm_search_result result{};
    REQUIRE(gm_search_header(&search, &result) == GM_OK);
    return result;
}

Hash hash_with(const gm_search& search, std::uint32_t nonce) {
    Bytes header(search.header, search.header + sizeof search.header);
    for (std::size_t i = 0; i < 4; ++i) header[76 + i] = static_cast<std::uint8_t>(nonce >> 8 * i);
    return sha256d(header);
}

/// The target of a mantissa and a number of bytes behind it, as nBits have it; here for sizes of 3 to 32.
Hash target_of(std::uint32_t nbits) {
    Hash target{};
    for (std::size_t i = 0; i < 3; ++i)
        target[32 - (nbits >> 24) + i] = static_cast<std::uint8_t>(nbits >> (16 - 8 * i));
    return target;
}

std::uint32_t lowest_hit(const gm_search& search, const Hash& target) {
    std::uint32_t nonce = search.first;
    while (!meets(hash_with(search, nonce), target)) ++nonce;
    return nonce;
}

}  // namespace

TEST_CASE("a real block is found by its own nBits") {
    for (const std::uint32_t threads : {0, 1, 3}) {
        gm_search search = search_of(kBlock, kBlockNonce - 50'000, kBlockNonce + 20'000);
        search.threads = threads;
        const gm_search_result result = run(search);
        CAPTURE(threads);
        CHECK(result.end == GM_FOUND);
        CHECK(result.nonce == kBlockNonce);
        const Hash hash = sha256d(kBlock);
        CHECK(std::memcmp(result.hash, hash.data(), hash.size()) == 0);
        CHECK(result.hashes > 50'000);
        CHECK(result.hashes <= 70'001);
    }
}

TEST_CASE("the hit is the lowest one, by nBits or target, with any number of threads") {
    for (std::uint32_t number = 0; number < 40; ++number) {
        const Bytes header = some_bytes(80, number);
        // Half of all hashes; one of 256; one of 65536, which takes threads; by both words of the target.
        const std::uint32_t nbits = number % 16 == 0 ? 0x1f00ffff : number % 2 == 0 ? 0x2000ffff : 0x207fffff;
        const Hash target = target_of(nbits);
        gm_search search = search_of(header, number * 1000, kLast);
        search.threads = 1 + number % 4;
        search.nbits = nbits;
        const std::uint32_t expected = lowest_hit(search, target);
        CAPTURE(number, expected);
        CHECK(run(search).nonce == expected);
        search.nbits = 0x01000000;  // no target: not looked at
        search.target = target.data();
        const gm_search_result result = run(search);
        CHECK(result.end == GM_FOUND);
        CHECK(result.nonce == expected);
        const Hash hash = hash_with(search, expected);
        CHECK(std::memcmp(result.hash, hash.data(), hash.size()) == 0);
    }
}

TEST_CASE("the target itself is met, one below is not") {
    const Bytes header = some_bytes(80, 77);
    gm_search search = search_of(header, 5, 5);
    const Hash hash = hash_with(search, 5);
    Hash target{};
    std::reverse_copy(hash.begin(), hash.end(), target.begin());
    search.target = target.data();
    CHECK(run(search).end == GM_FOUND);
    for (std::size_t i = 32; i-- > 0 && target[i]-- == 0;) {
    }
    const gm_search_result result = run(search);
    CHECK(result.end == GM_EXHAUSTED);
    CHECK(result.hashes == 1);
}

TEST_CASE("every nonce of a range is hashed once") {
    const std::array<std::array<std::uint32_t, 2>, 7> ranges = {
        {{0, 0}, {kLast, kLast}, {kLast - 20, kLast}, {3, 260}, {0, 16383}, {1, 100'000}, {kLast - 200'000, kLast}}};
    for (const auto& [first, last] : ranges) {
        for (const std::uint32_t threads : {1, 2, 1024}) {
            gm_search search = search_of(kBlock, first, last);
            search.target = kNothing.data();
            search.threads = threads;
            const gm_search_result result = run(search);
            CAPTURE(first, last, threads);
            CHECK(result.end == GM_EXHAUSTED);
            CHECK(result.hashes == std::uint64_t{last} - first + 1);
        }
    }
}

TEST_CASE("a time limit ends a search") {
    gm_search search = search_of(kBlock, 0, kLast);
    search.target = kNothing.data();
    search.threads = 2;
    search.seconds = 0.02;
    const gm_search_result result = run(search);
    CHECK(result.end == GM_TIME_LIMIT);
    CHECK(result.hashes < std::uint64_t{1} << 32);
}

TEST_CASE("a flag cancels a search, before it and during it") {
    for (const bool before : {true, false}) {
        int flag = before ? 1 : 0;
        gm_search search = search_of(kBlock, 0, kLast);
        search.target = kNothing.data();
        search.threads = 2;
        search.cancel = &flag;
        std::jthread other;
        if (!before) other = std::jthread([&] { std::atomic_ref<int>{flag}.store(1); });
        const gm_search_result result = run(search);
        CHECK(result.end == GM_CANCELLED);
        CHECK(result.hashes < std::uint64_t{1} << 32);
        if (before) CHECK(result.hashes == 0);
    }
}

TEST_CASE("a search that takes seconds looks for faster code, and stays right") {
    // Other forms are compared with the first one from the first second on; the range ends by the time limit.
    gm_search search = search_of(kBlock, 0, kLast);
    search.target = kNothing.data();
    search.seconds = 1.2;
    CHECK(run(search).end == GM_TIME_LIMIT);
}

TEST_CASE("searches that make no sense are refused") {
    gm_search_result result{};
    result.hashes = 42;
    gm_search search = search_of(kBlock, 2, 1);
    CHECK(gm_search_header(nullptr, &result) == GM_ERROR_NULL);
    CHECK(gm_search_header(&search, nullptr) == GM_ERROR_NULL);
    CHECK(gm_search_header(&search, reinterpret_cast<gm_search_result*>(&search)) == GM_ERROR_OVERLAP);
    CHECK(gm_search_header(&search, &result) == GM_ERROR_VALUE);
    search.first = 0;
    search.threads = 1025;
    CHECK(gm_search_header(&search, &result) == GM_ERROR_VALUE);
    search.threads = 1;
    for (const double seconds :
         {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        search.seconds = seconds;
        CHECK(gm_search_header(&search, &result) == GM_ERROR_VALUE);
    }
    search.seconds = 0;
    search.target = result.hash;
    CHECK(gm_search_header(&search, &result) == GM_ERROR_OVERLAP);
    search.target = nullptr;
    for (const std::uint32_t nbits : {0x1d800001u, 0x1d000000u, 0x01003456u, 0x23000100u, 0xff123456u}) {
        search.nbits = nbits;
        CAPTURE(nbits);
        CHECK(gm_search_header(&search, &result) == GM_ERROR_TARGET);
    }
    CHECK(result.hashes == 42);
}
