// The whole hash: recorded outputs for inputs of every length and for headers of every kind.
#include <algorithm>
#include <array>

#include "tests/catch.hpp"
#include "tests/simulation/sanitized.hpp"
#include "tests/verushash/vectors.hpp"
#include "verushash/block.hpp"
#include "verushash/hash.hpp"

using namespace gpuminer;
using namespace gpuminer::verushash;
using gpuminer::test::from_hex;

TEST_CASE("VerusHash 2.2 of 0 to 273 bytes") {
    for (const test::Fields& fields : test::verushash_data("primitives.csv")) {
        if (fields[0] != "data") continue;
        INFO(fields[1].size() / 2 << " bytes: " << fields[1]);
        CHECK(to_hex(hash_bytes(from_hex(fields[1]))) == fields[2]);
    }
}

TEST_CASE("VerusHash 2.2 of every remainder of 32 bytes, up to 2,047 bytes") {
    for (const test::Fields& fields : test::verushash_data("lengths.csv")) {
        test::RandomBytes random(std::stoull(fields[2]));
        test::Collected outputs;
        for (std::size_t i = 0; i < std::stoul(fields[1]); ++i) {
            outputs.add(hash_bytes(random.take(std::stoul(fields[0]) + 32 * i)));
        }
        INFO("remainder " << fields[0]);
        CHECK(outputs.hex() == fields[3]);
    }
}

namespace {

// Where the entries of chains lie in a header, independently of block.cpp.
constexpr std::ptrdiff_t kSolution = 143, kChains = 143 + 72, kChainBytes = 52, kChainId = 20;

/// Of what is the header's own; before solution version 5 there are no MMR roots in it. (BLAKE2b has vectors of its
/// own.)
PreHeaderHash pre_header_of(const Bytes& header) {
    Bytes own;
    const auto append = [&](std::ptrdiff_t at, std::ptrdiff_t size) {
        own.insert(own.end(), header.begin() + at, header.begin() + at + size);
    };
    append(4, 96);    // previous hash, merkle root, Sapling root
    append(108, 32);  // nonce
    append(104, 4);   // nBits
    append(151, 64);  // both MMR roots
    if (header[kSolution] < kFirstPbaasVersion) std::ranges::fill(own.end() - 64, own.end(), std::uint8_t{0});
    return pre_header_blake2b(own);
}

/// As the recorded classes are defined in tests/data/README.md.
Header make_header(test::RandomBytes& random, std::uint32_t solution_version, int chains, int planted, int copied) {
    Bytes header{4, 0, 1, 0};
    const auto append = [&](const Bytes& bytes) { header.insert(header.end(), bytes.begin(), bytes.end()); };
    append(random.take(136));
    append({0xfd, 0x40, 0x05});
    append(random.take(1344));
    store_le32(header, kSolution, solution_version);
    header[kSolution + 5] = static_cast<std::uint8_t>(chains);
    const auto chain = [&](int i) { return header.begin() + kChains + kChainBytes * i; };
    if (copied >= 0) std::copy_n(chain(copied), kChainId, chain(planted));
    if (planted >= 0) std::ranges::copy(pre_header_of(header), chain(planted) + kChainId);
    return parse_header(header);
}

}  // namespace

TEST_CASE("Block hashes of every solution version, with chains that count and chains that do not") {
    std::size_t number = 0;
    for (const test::Fields& fields : test::verushash_data("header_classes.csv")) {
        if (simulation::kSanitized && number++ % 5 != 0) continue;  // others of the twelve kinds for each version
        INFO("solution version " << fields[0] << ", " << fields[1] << " chains, its own " << fields[2] << ", copied "
                                 << fields[3]);
        test::RandomBytes random(std::stoull(fields[5]));
        test::Collected outputs;
        int cleared = 0;
        for (int i = 0; i < std::stoi(fields[4]); ++i) {
            const Header header = make_header(random, static_cast<std::uint32_t>(std::stoul(fields[0])),
                                              std::stoi(fields[1]), std::stoi(fields[2]), std::stoi(fields[3]));
            cleared += canonical_form(header) == header ? 0 : 1;
            outputs.add(hash_header(header));
        }
        CHECK(cleared == std::stoi(fields[6]));
        CHECK(outputs.hex() == fields[7]);
    }
}

TEST_CASE("Whole headers and their hashes") {
    for (const test::Fields& fields : test::verushash_data("headers.csv")) {
        const Header header = verushash::parse_header_hex(fields[2]);
        INFO("solution version " << fields[0] << ", cleared " << fields[1]);
        CHECK(header.solution_version() == std::stoul(fields[0]));
        CHECK((canonical_form(header) != header) == (fields[1] == "1"));
        CHECK(to_hex(hash_header(header)) == fields[3]);
    }
}
