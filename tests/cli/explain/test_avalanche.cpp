// Tests of the avalanche effect: how another nonce changes the double hash.
#include "cli/explain/avalanche.hpp"

#include <bit>

#include <nlohmann/json.hpp>

#include "host/block/checker.hpp"
#include "host/block/header.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;

namespace {

HeaderInput block(const char* name) {
    for (const EmbeddedBlock& embedded : embedded_blocks()) {
        if (embedded.name == std::string(name)) return parse_header_hex(embedded.header_hex);
    }
    return {};
}

unsigned differing_bits(const Hash256& one, const Hash256& other) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < one.bytes.size(); ++i)
        bits += static_cast<unsigned>(std::popcount(static_cast<unsigned>(one.bytes[i] ^ other.bytes[i])));
    return bits;
}

}  // namespace

TEST_CASE("another nonce changes nothing before its round and half of all bits at the end") {
    HeaderInput input = block("170"), other = input;
    other.header.set_nonce(input.header.nonce() + 1);
    const Avalanche result = avalanche(explain(input), explain(other));
    CHECK(result.nonce == input.header.nonce());
    CHECK(result.other_nonce == other.header.nonce());
    CHECK(result.rounds[0] == 0);
    CHECK(result.rounds[2] == 0);
    CHECK(result.rounds[3] > 0);
    CHECK(result.rounds[20] > 80);
    // OpenSSL's hashes.
    const Hash256 hash = double_sha256(input.header.bytes), other_hash = double_sha256(other.header.bytes);
    CHECK(result.hash == hash);
    CHECK(result.other_hash == other_hash);
    CHECK(result.digest2 == differing_bits(hash, other_hash));
    CHECK(result.digest2 > 90);
}

TEST_CASE("the same nonce changes nothing") {
    const Explanation one = explain(block("genesis"));
    const Avalanche result = avalanche(one, one);
    CHECK(result.digest1 == 0);
    CHECK(result.digest2 == 0);
    for (const unsigned bits : result.rounds) CHECK(bits == 0);
    CHECK_FALSE(contains(lesson::text({avalanche_section(result)}), "^"));
}

TEST_CASE("the avalanche as text and JSON") {
    HeaderInput input = block("100000"), other = input;
    other.header.set_nonce(0);
    const Avalanche result = avalanche(explain(input), explain(other));
    const std::string text = lesson::text({avalanche_section(result)});
    CHECK(contains(text, "nonce 274148111 against nonce 0"));
    CHECK(contains(text, "56-63 "));
    CHECK(contains(text, result.other_hash.hex()));
    CHECK(contains(text, "^"));
    const nlohmann::ordered_json json = avalanche_json(result);
    CHECK(json["nonce"] == 0);
    CHECK(json["changed_bits"]["rounds"].size() == 64);
    CHECK(json["changed_bits"]["digest2"] == result.digest2);
}
