// `explain`: its steps against OpenSSL's, its text and its JSON.
#include <bit>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <openssl/sha.h>
#include <nlohmann/json.hpp>

#include "cli/explain/explain.hpp"
#include "host/block/checker.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/real_headers.hpp"

using namespace gpuminer;

namespace {

std::string digest_hex(const std::uint8_t* data, std::size_t size) {
    std::array<std::uint8_t, 32> digest{};
    SHA256(data, size, digest.data());
    return Hash256{digest}.hex();  // internal order: the bytes as they are
}

std::size_t count_lines_with(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) count += contains(line, part) ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("explain computes what OpenSSL computes, at every step that OpenSSL shows", "[explain]") {
    for (const EmbeddedBlock& block : embedded_blocks()) {
        CAPTURE(block.name);
        const HeaderInput input = parse_header_hex(block.header_hex);
        const Explanation e = explain(input);
        const std::string digest1 = digest_hex(input.header.bytes.data(), 80);
        REQUIRE(e.block2.after_hex() == digest1);
        REQUIRE(e.hash == double_sha256(input.header.bytes));
        REQUIRE(e.block1.after == e.block2.before);
        REQUIRE(e.target == target_from_nbits(input.header.nbits()));

        SHA256_CTX context;  // OpenSSL's low-level interface is deprecated, but nothing else shows a midstate
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        SHA256_Init(&context);
        SHA256_Update(&context, input.header.bytes.data(), 64);
#pragma GCC diagnostic pop
        for (std::size_t i = 0; i < 8; ++i) REQUIRE(e.block1.after[i] == context.h[i]);
    }
}

TEST_CASE("each round follows from the one before", "[explain]") {
    const Explanation e = explain(embedded("100000"));
    for (const Compression* compression : {&e.block1, &e.block2, &e.second}) {
        for (std::size_t t = 0; t < 16; ++t) REQUIRE(compression->schedule[t] == compression->block[t]);
        Compression::State before = compression->before;
        for (const Compression::State& state : compression->rounds) {
            // Six of the eight words only move one place down.
            for (const std::size_t i : {1, 2, 3, 5, 6, 7}) REQUIRE(state[i] == before[i - 1]);
            before = state;
        }
        for (std::size_t i = 0; i < 8; ++i) {
            REQUIRE(compression->after[i] == static_cast<std::uint32_t>(compression->before[i] + before[i]));
        }
    }
    REQUIRE(e.block2.block[3] == 0x0f2b5710);
    REQUIRE(e.block2.block[4] == 0x80000000);
    REQUIRE(e.block2.block[15] == 640);
    REQUIRE(e.second.block[8] == 0x80000000);
    REQUIRE(e.second.block[15] == 256);
}

TEST_CASE("the text of explain has every value that it speaks of", "[explain]") {
    const Explanation e = explain(embedded("100000"));
    const std::string text = lesson::text(explain_sections(e, false));
    for (const std::string& part :
         {std::string("000000000002d01c1fccc21636b607dfd930d31d01c3a62104612a1719011250"),
          std::string("f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766"),
          std::string("2010-12-29 11:57:43 UTC"), std::string("274148111 (0x10572b0f)"), e.second.after_hex(),
          e.hash.hex(), e.target->hex(), std::string("46 leading zero bits"), std::string("45 leading zero bits"),
          std::string("0x04864c * 256^(27 - 3)"), std::string("valid proof of work"), std::string("14484.16236")}) {
        CAPTURE(part);
        REQUIRE(contains(text, part));
    }
    for (int section = 1; section <= 8; ++section)
        REQUIRE(contains(text, "\n" + std::to_string(section) + ". ") == (section > 1));
    REQUIRE(text.starts_with("1. "));
    REQUIRE(text.ends_with("\n"));
    REQUIRE(count_lines_with(text, "new a     new e") == 0);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        REQUIRE(line.size() <= 80);
        REQUIRE((line.empty() || line.back() != ' '));
    }
}

TEST_CASE("explain with steps shows 64 rounds of each compression", "[explain]") {
    const Explanation e = explain(embedded("genesis"));
    const std::string text = lesson::text(explain_sections(e, true));
    REQUIRE(count_lines_with(text, "new a     new e") == 3);
    REQUIRE(count_lines_with(text, " 428a2f98 ") == 3);  // K[0]
    REQUIRE(count_lines_with(text, " c67178f2 ") == 3);  // K[63]
    const nlohmann::ordered_json json = explain_json(e, true);
    REQUIRE(json["compressions"].size() == 3);
    for (const auto& compression : json["compressions"]) {
        REQUIRE(compression["rounds"].size() == 64);
        REQUIRE(compression["rounds"][63]["state"] == compression["state_after_rounds"]);
        REQUIRE(compression["rounds"][63]["k"] == "c67178f2");
        REQUIRE(compression["rounds"][5]["w"] == compression["block"][5]);
    }
}

TEST_CASE("T1 and T2 are those of FIPS 180-4", "[explain]") {
    const Explanation e = explain(embedded("genesis"));
    const auto& [a, b, c, d, e0, f, g, h] = e.second.before;
    const auto sum = [](std::uint32_t x, int i, int j, int k) {
        return std::rotr(x, i) ^ std::rotr(x, j) ^ std::rotr(x, k);
    };
    const std::uint32_t t1 = h + sum(e0, 6, 11, 25) + ((e0 & f) ^ (~e0 & g)) + 0x428a2f98 + e.second.block[0];
    const std::uint32_t t2 = sum(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
    const auto row = fmt::format("0      {:08x}  428a2f98  {:08x}  {:08x}  {:08x}  {:08x}", e.second.block[0], t1, t2,
                                 t1 + t2, d + t1);
    REQUIRE(contains(lesson::text(explain_sections(e, true)), row));
}

TEST_CASE("a version that signals is explained", "[explain]") {
    HeaderInput input = embedded("100000");
    REQUIRE_FALSE(contains(lesson::text(explain_sections(explain(input), false)), "BIP 9"));
    input.header.set_version(0x20000012);
    REQUIRE(contains(lesson::text(explain_sections(explain(input), false)), "set: 1, 4."));
}

TEST_CASE("explain as JSON", "[explain]") {
    const nlohmann::ordered_json json = explain_json(explain(embedded("100000")), false);
    REQUIRE(json["hash"] == "000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506");
    REQUIRE(json["target"] == "000000000004864c000000000000000000000000000000000000000000000000");
    REQUIRE(json["valid"] == true);
    REQUIRE(json["nonce_given"] == true);
    REQUIRE(json["leading_zero_bits"] == 46);
    REQUIRE(json["target_leading_zero_bits"] == 45);
    REQUIRE(json["difficulty"].get<double>() == Approx(14484.1623612254));
    REQUIRE(json["header"]["nonce"] == 274148111);
    REQUIRE(json["midstate"].get<std::string>().size() == 64);
    REQUIRE_FALSE(json["compressions"][0].contains("rounds"));
}

TEST_CASE("a header without a nonce is explained with nonce 0", "[explain]") {
    HeaderInput input = embedded("100000");
    input = parse_header_hex(input.header.hex().substr(0, 152));
    const Explanation e = explain(input);
    REQUIRE(e.hash == double_sha256(input.header.bytes));
    REQUIRE(contains(lesson::text(explain_sections(e, false)),
                     "The input has 152 digits and so no nonce: what follows is for nonce 0."));
    REQUIRE(contains(lesson::text(explain_sections(e, false)), "not a proof of work"));
    REQUIRE(explain_json(e, false)["nonce_given"] == false);
    REQUIRE(explain_json(e, false)["valid"] == false);
}

TEST_CASE("a header whose nBits are no target is still explained", "[explain]") {
    HeaderInput input = embedded("100000");
    input.header.bytes[74] |= 0x80;  // the sign bit of nBits
    const Explanation e = explain(input);
    REQUIRE_FALSE(e.target.has_value());
    REQUIRE(contains(lesson::text(explain_sections(e, false)),
                     "nBits 1b84864c is not a target: it is negative. No hash can meet it."));
    REQUIRE(explain_json(e, false)["target"].is_null());
    REQUIRE(explain_json(e, false)["target_problem"] == "nBits 1b84864c is not a target: it is negative");
}
