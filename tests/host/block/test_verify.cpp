// `verify`: the verdict, its text and its JSON.
#include <string>

#include <nlohmann/json.hpp>

#include "host/block/header_text.hpp"
#include "host/block/verify.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/real_headers.hpp"

using namespace gpuminer;

TEST_CASE("time and leading zeros", "[verify]") {
    REQUIRE(utc_time(0) == "1970-01-01 00:00:00 UTC");
    REQUIRE(utc_time(1293623863) == "2010-12-29 11:57:43 UTC");
    REQUIRE(utc_time(0xffffffff) == "2106-02-07 06:28:15 UTC");
    Hash256 value;
    REQUIRE(leading_zero_bits(value) == 256);
    value.bytes[31] = 1;
    REQUIRE(leading_zero_bits(value) == 255);
    value.bytes[0] = 0x80;
    REQUIRE(leading_zero_bits(value) == 0);
    REQUIRE(leading_zero_bits(target_from_nbits(0x1d00ffff)) == 32);
}

TEST_CASE("a valid header is verified with each of its fields", "[verify]") {
    const Verification verification = verify_header(embedded("100000"), std::nullopt);
    REQUIRE(verification.valid);
    REQUIRE_FALSE(verification.target_given);
    REQUIRE(verify_text(verification) ==
            "header         0100000050120119172a610421a6c3011dd330d9df07b63616c2cc1f1cd0020000000000"
            "6657a9252aacd5c0b2940996ecff952228c3067cc38d4885efb5a4ac4247e9f337221b4d4c86041b0f2b5710\n"
            "version        1 (0x00000001)\n"
            "previous hash  000000000002d01c1fccc21636b607dfd930d31d01c3a62104612a1719011250\n"
            "merkle root    f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766\n"
            "time           1293623863 (2010-12-29 11:57:43 UTC)\n"
            "nBits          1b04864c\n"
            "nonce          274148111 (0x10572b0f)\n"
            "hash           000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506\n"
            "target         000000000004864c000000000000000000000000000000000000000000000000 (from nBits, difficulty "
            "14484.16236)\n"
            "result         valid: the hash is not above the target\n");

    const nlohmann::ordered_json json = verify_json(verification);
    REQUIRE(json["valid"] == true);
    REQUIRE(json["hash"] == "000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506");
    REQUIRE(json["target"] == "000000000004864c000000000000000000000000000000000000000000000000");
    REQUIRE(json["target_source"] == "nbits");
    REQUIRE(json["difficulty"].get<double>() == Approx(14484.1623612254));
    REQUIRE(json["leading_zero_bits"] == 46);
    const nlohmann::ordered_json& header = json["header"];
    REQUIRE(header["version"] == 1);
    REQUIRE(header["version_hex"] == "00000001");
    REQUIRE(header["previous_hash"] == "000000000002d01c1fccc21636b607dfd930d31d01c3a62104612a1719011250");
    REQUIRE(header["merkle_root"] == "f3e94742aca4b5ef85488dc37c06c3282295ffec960994b2c0d5ac2a25a95766");
    REQUIRE(header["time"] == 1293623863);
    REQUIRE(header["time_utc"] == "2010-12-29 11:57:43 UTC");
    REQUIRE(header["nbits"] == "1b04864c");
    REQUIRE(header["nonce"] == 274148111);
    REQUIRE(header["nonce_hex"] == "10572b0f");
    REQUIRE(header["hex"].get<std::string>().size() == 160);
}

TEST_CASE("a header is verified against a given target", "[verify]") {
    const HeaderInput input = embedded("100000");
    const Hash256 hash = verify_header(input, std::nullopt).hash;
    REQUIRE(verify_header(input, hash).valid);
    Hash256 below = hash;
    below.bytes[31] -= 1;
    const Verification verification = verify_header(input, below);
    REQUIRE_FALSE(verification.valid);
    REQUIRE(verification.target_given);
    REQUIRE(verify_json(verification)["target_source"] == "given");
    REQUIRE(verify_json(verification)["valid"] == false);
    REQUIRE(contains(verify_text(verification), "result         not valid: the hash is above the target"));

    const Verification impossible = verify_header(input, Hash256{});
    REQUIRE_FALSE(impossible.valid);
    REQUIRE(verify_json(impossible)["difficulty"].is_null());
}

TEST_CASE("a header with an altered nonce is not valid", "[verify]") {
    HeaderInput input = embedded("genesis");
    input.header = input.header.with_nonce(input.header.nonce() + 1);
    REQUIRE_FALSE(verify_header(input, std::nullopt).valid);
}

TEST_CASE("a header that cannot be verified is refused", "[verify]") {
    HeaderInput input = embedded("100000");
    input.has_nonce = false;
    const std::string message = input_error([&] { (void)verify_header(input, std::nullopt); });
    REQUIRE(contains(message, "expected a whole header of 160 hex digits, got 152"));
    REQUIRE(is_plain_sentence(message));

    input.has_nonce = true;
    input.header.bytes[75] = 0xff;  // the size byte of nBits
    REQUIRE(input_error([&] { (void)verify_header(input, std::nullopt); }) ==
            "nBits ff04864c is not a target: it is more than 256 bits");
    REQUIRE_FALSE(verify_header(input, Hash256{}).valid);  // a given target does not need nBits
}
