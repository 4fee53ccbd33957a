// Merkle roots and branches, against block 100000 and Python's hashlib.
#include <array>
#include <string>
#include <vector>

#include "host/text/text.hpp"
#include "net/bitcoin/merkle.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::net;

namespace {

Digest root_of(const std::vector<Digest>& leaves) {
    const std::span<const Digest> all(leaves);
    return merkle_root(all.front(), merkle_branch(all.subspan(1)));
}

}  // namespace

TEST_CASE("the merkle root of block 100000", "[merkle]") {
    std::vector<Digest> txids;
    for (const char* const txid : {"8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff16284aefa3d06d87",
                                   "fff2525b8931402dd09222c50775608f75787bd2b87e56995a7bdd30f79702c4",
                                   "6359f0868171b1d194cbee1af2f16ea598ae8fad666d9b012c8ed2b79a236ec4",
                                   "e9a66845e05d5abc0ad04ec80f774a7e585c6e8db975962d069a522137b80c1d"}) {
        txids.push_back(internal_order(hash256_from_hex(txid, "a txid")));
    }
    CHECK(display_order(root_of(txids)).hex() == "f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766");
}

TEST_CASE("merkle roots of even and odd levels", "[merkle]") {
    // Leaf i is the double SHA-256 of the byte i. Roots, internal order, by Python's hashlib.
    const std::vector<std::pair<std::size_t, std::string>> roots = {
        {1, "1406e05881e299367766d313e26c05564ec91bf721d31726bd6e46e60689539a"},
        {2, "4bbe83bc38ebe2bcc7520d234139df1c0eb9ffa51f83eab1c5129b5b906b7655"},
        {3, "e129dfe02f567fc612d126596d43406144f40a771810ac7143421d2df3e5c1d0"},
        {5, "f4113849d628f7c3bc91cc0ff785a6aee3ee236c1c912b28cc09c44f9f97b748"},
        {6, "fb5bb7e4825922eae8c2baec960c8f5233845222134a6a3d840e3c1201af75ed"},
        {7, "7de65c7d57cdc72971c9beab94af6ad4e99f233fb6ccebd2b4b19f13697ca54d"},
        {11, "f44f68574b01a0e683d17acc6b702f838608577925daeb8f458d2e00588a1a7c"},
        {13, "3e88651be5584ed15c3d9b56e9b06bdd5987c70daac93d59aafc96095bd9957b"},
        {64, "c04377414c8d93dc1cc422c7037c989c24afe9bea85e86b3f338d3f568ffdf26"},
        {100, "32a585b4c6e6292340adcdde868eacad68a998027c975e310d2260a7ec2d99b7"},
    };
    for (const auto& [count, expected] : roots) {
        std::vector<Digest> leaves;
        for (std::size_t i = 0; i < count; ++i) {
            leaves.push_back(double_sha256_digest(std::array{static_cast<std::uint8_t>(i)}));
        }
        CAPTURE(count);
        CHECK(to_hex(root_of(leaves)) == expected);
    }
}

TEST_CASE("a branch holds no coinbase: one hash a level", "[merkle]") {
    CHECK(merkle_branch({}).empty());
    CHECK(merkle_branch(std::vector<Digest>(1)).size() == 1);
    CHECK(merkle_branch(std::vector<Digest>(2)).size() == 2);
    CHECK(merkle_branch(std::vector<Digest>(3)).size() == 2);
    CHECK(merkle_branch(std::vector<Digest>(4)).size() == 3);
    CHECK(merkle_branch(std::vector<Digest>(4095)).size() == 12);
}
