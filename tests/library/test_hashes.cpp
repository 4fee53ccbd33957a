// The library's hashes and merkle trees against OpenSSL, and the arguments that it refuses.
#include <bit>
#include <cstdint>
#include <string>
#include <thread>

#include "library/include/gpuminer.h"
#include "tests/catch.hpp"
#include "tests/library/oracle.hpp"

using namespace gpuminer::test;

namespace {

/// gm_sha256d_messages() of vectors.
std::vector<Hash> hashes_of(const std::vector<Bytes>& messages) {
    std::vector<const std::uint8_t*> data;
    std::vector<std::size_t> sizes;
    for (const Bytes& message : messages) {
        data.push_back(message.data());
        sizes.push_back(message.size());
    }
    std::vector<Hash> hashes(messages.size());
    REQUIRE(gm_sha256d_messages(hashes.data()->data(), data.data(), sizes.data(), messages.size()) == GM_OK);
    return hashes;
}

const std::uint8_t* const kNowhere = nullptr;

}  // namespace

TEST_CASE("the version is the project's") { CHECK(std::string(gm_version()) == GPUMINER_VERSION); }

TEST_CASE("every error has a text of its own") {
    std::vector<std::string> texts;
    for (int code = GM_OK; code <= GM_ERROR_INTERNAL + 1; ++code) texts.emplace_back(gm_error_text(code));
    for (std::size_t i = 0; i < texts.size(); ++i) {
        CHECK_FALSE(texts[i].empty());
        for (std::size_t j = 0; j < i; ++j) CHECK(texts[i] != texts[j]);
    }
    CHECK(gm_error_text(-1) == texts.back());
}

TEST_CASE("one message of any length") {
    for (std::size_t size = 0; size <= 300; ++size) {
        const Bytes message = some_bytes(size, 7);
        Hash hash{};
        CAPTURE(size);
        REQUIRE(gm_sha256d(hash.data(), message.data(), message.size()) == GM_OK);
        REQUIRE(hash == sha256d(message));
    }
}

TEST_CASE("batches of messages keep their order") {
    std::vector<Bytes> messages;
    for (std::size_t i = 0; i < 9000; ++i) messages.push_back(some_bytes(i * 37 % 301, static_cast<std::uint32_t>(i)));
    messages[5] = some_bytes(100'000, 1);
    const std::vector<Hash> hashes = hashes_of(messages);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        CAPTURE(i);
        REQUIRE(hashes[i] == sha256d(messages[i]));
    }
}

TEST_CASE("batches of 64 bytes, in place too") {
    for (const std::size_t count : {1, 2, 3, 15, 16, 17, 100, 1000}) {
        Bytes in = some_bytes(64 * count, 3), out(32 * count), expected;
        for (std::size_t i = 0; i < count; ++i) {
            const Hash hash = sha256d(std::span(in).subspan(64 * i, 64));
            expected.insert(expected.end(), hash.begin(), hash.end());
        }
        CAPTURE(count);
        REQUIRE(gm_sha256d64(out.data(), in.data(), count) == GM_OK);
        REQUIRE(out == expected);
        REQUIRE(gm_sha256d64(in.data(), in.data(), count) == GM_OK);
        in.resize(out.size());
        REQUIRE(in == expected);
    }
}

TEST_CASE("merkle roots and branches of every size up to 70") {
    for (std::size_t count = 1; count <= 70; ++count) {
        const std::vector<Hash> leaves = some_hashes(count, 9);
        const std::uint8_t* const bytes = leaves.front().data();
        const Hash expected = merkle_root(leaves);
        Hash root{};
        CAPTURE(count);
        REQUIRE(gm_merkle_root(root.data(), bytes, count) == GM_OK);
        REQUIRE(root == expected);
        const std::size_t depth = gm_merkle_depth(count);
        REQUIRE(std::size_t{1} << depth == std::bit_ceil(count));
        for (std::size_t index = 0; index < count; ++index) {
            std::vector<Hash> branch(depth);
            std::uint8_t* const room = depth == 0 ? nullptr : branch.front().data();
            REQUIRE(gm_merkle_branch(room, bytes, count, index) == GM_OK);
            root = {};
            REQUIRE(gm_merkle_root_of_branch(root.data(), leaves[index].data(), room, depth, index) == GM_OK);
            REQUIRE(root == expected);
        }
    }
}

TEST_CASE("nothing to hash is no error, wherever it is") {
    CHECK(gm_sha256d_messages(nullptr, nullptr, nullptr, 0) == GM_OK);
    CHECK(gm_sha256d64(nullptr, nullptr, 0) == GM_OK);
    CHECK(gm_merkle_depth(0) == 0);
    Hash hash{};
    CHECK(gm_sha256d(hash.data(), nullptr, 0) == GM_OK);
    CHECK(hash == sha256d({}));
    const std::size_t size = 0;
    hash = {};
    CHECK(gm_sha256d_messages(hash.data(), &kNowhere, &size, 1) == GM_OK);
    CHECK(hash == sha256d({}));
}

TEST_CASE("null pointers are refused") {
    Bytes bytes(128);
    std::uint8_t* const here = bytes.data();
    const std::uint8_t* const data = &bytes[64];
    const std::size_t size = 1;
    CHECK(gm_sha256d(nullptr, data, 1) == GM_ERROR_NULL);
    CHECK(gm_sha256d(here, nullptr, 1) == GM_ERROR_NULL);
    CHECK(gm_sha256d_messages(nullptr, &data, &size, 1) == GM_ERROR_NULL);
    CHECK(gm_sha256d_messages(here, nullptr, &size, 1) == GM_ERROR_NULL);
    CHECK(gm_sha256d_messages(here, &data, nullptr, 1) == GM_ERROR_NULL);
    CHECK(gm_sha256d_messages(here, &kNowhere, &size, 1) == GM_ERROR_NULL);
    CHECK(gm_sha256d64(nullptr, data, 1) == GM_ERROR_NULL);
    CHECK(gm_sha256d64(here, nullptr, 1) == GM_ERROR_NULL);
    CHECK(gm_merkle_root(nullptr, data, 1) == GM_ERROR_NULL);
    CHECK(gm_merkle_root(here, nullptr, 1) == GM_ERROR_NULL);
    CHECK(gm_merkle_branch(nullptr, data, 2, 0) == GM_ERROR_NULL);
    CHECK(gm_merkle_branch(here, nullptr, 2, 0) == GM_ERROR_NULL);
    CHECK(gm_merkle_root_of_branch(nullptr, data, data, 1, 0) == GM_ERROR_NULL);
    CHECK(gm_merkle_root_of_branch(here, nullptr, data, 1, 0) == GM_ERROR_NULL);
    CHECK(gm_merkle_root_of_branch(here, data, nullptr, 1, 0) == GM_ERROR_NULL);
    CHECK(bytes == Bytes(128));
}

TEST_CASE("overlaps are refused") {
    Bytes bytes(256);
    std::uint8_t* const here = bytes.data();
    CHECK(gm_sha256d(here, here + 31, 8) == GM_ERROR_OVERLAP);
    CHECK(gm_sha256d(here + 7, here, 8) == GM_ERROR_OVERLAP);
    const std::array<const std::uint8_t*, 2> data = {here + 100, here + 63};
    const std::array<std::size_t, 2> sizes = {1, 1};
    CHECK(gm_sha256d_messages(here, data.data(), sizes.data(), 2) == GM_ERROR_OVERLAP);
    CHECK(gm_sha256d_messages(here, data.data(), sizes.data(), 1) == GM_OK);
    std::array<std::size_t, 8> own{};  // hashes over the sizes
    CHECK(gm_sha256d_messages(reinterpret_cast<std::uint8_t*>(own.data()), data.data(), own.data(), 1) ==
          GM_ERROR_OVERLAP);
    CHECK(gm_sha256d(here, here + 5, 0) == GM_OK);  // nothing is read there
    CHECK(gm_sha256d64(here + 1, here, 1) == GM_ERROR_OVERLAP);
    CHECK(gm_sha256d64(here, here + 1, 2) == GM_ERROR_OVERLAP);
    CHECK(gm_sha256d64(here, here + 32, 1) == GM_OK);
    CHECK(gm_merkle_root(here, here, 2) == GM_ERROR_OVERLAP);
    CHECK(gm_merkle_branch(here + 32, here, 2, 0) == GM_ERROR_OVERLAP);
    CHECK(gm_merkle_root_of_branch(here, here, here + 64, 1, 0) == GM_ERROR_OVERLAP);
    CHECK(gm_merkle_root_of_branch(here, here + 64, here, 1, 0) == GM_ERROR_OVERLAP);
}

TEST_CASE("sizes that no memory has are refused") {
    Bytes bytes(128);
    std::uint8_t* const here = bytes.data();
    const std::uint8_t* const data = here + 64;
    for (const std::size_t size : {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 8 + 1}) {
        CHECK(gm_sha256d(here, data, size) == GM_ERROR_SIZE);
        CHECK(gm_sha256d_messages(here, &data, &size, 1) == GM_ERROR_SIZE);
        CHECK(gm_sha256d_messages(here, &data, &size, size) == GM_ERROR_SIZE);
        CHECK(gm_sha256d64(here, data, size) == GM_ERROR_SIZE);
        CHECK(gm_merkle_root(here, data, size) == GM_ERROR_SIZE);
        CHECK(gm_merkle_branch(here, data, size, 0) == GM_ERROR_SIZE);
        CHECK(gm_merkle_root_of_branch(here, data, data, size, 0) == GM_ERROR_SIZE);
    }
    CHECK(gm_merkle_depth(SIZE_MAX) == 64);
}

TEST_CASE("counts, indices and depths out of their ranges are refused") {
    Bytes bytes(128);
    std::uint8_t* const here = bytes.data();
    CHECK(gm_merkle_root(here, here + 64, 0) == GM_ERROR_VALUE);
    CHECK(gm_merkle_branch(here, here + 64, 0, 0) == GM_ERROR_VALUE);
    CHECK(gm_merkle_branch(here, here + 64, 2, 2) == GM_ERROR_VALUE);
    CHECK(gm_merkle_root_of_branch(here, here + 64, here + 96, 1, 2) == GM_ERROR_VALUE);
    CHECK(gm_merkle_root_of_branch(here, here + 64, nullptr, 0, 1) == GM_ERROR_VALUE);
}

TEST_CASE("threads may hash at the same time", "[thread]") {
    const std::vector<Hash> leaves = some_hashes(101, 1);
    const Hash expected = merkle_root(leaves);
    std::vector<std::jthread> threads;
    std::array<Hash, 4> roots{};
    for (Hash& root : roots) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) (void)gm_merkle_root(root.data(), leaves.front().data(), leaves.size());
        });
    }
    threads.clear();
    for (const Hash& root : roots) CHECK(root == expected);
}
