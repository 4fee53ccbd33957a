// Numbers in bytes, text, and JSON as text.
#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "host/block/bytes.hpp"
#include "host/block/json_text.hpp"
#include "host/block/text.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

TEST_CASE("numbers in bytes, in both orders", "[bytes]") {
    constexpr std::array<std::uint8_t, 9> kBytes = {0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0xf8, 0xff};
    CHECK(load_le32(kBytes) == 0x84038201);
    CHECK(load_le32(kBytes, 5) == 0xfff80786);
    CHECK(load_be32(kBytes) == 0x01820384);
    CHECK(load_be32(kBytes, 5) == 0x8607f8ff);
    CHECK(load_le(std::span(kBytes).first(8)) == 0xf807860584038201);
    CHECK(load_le(std::span(kBytes).first(3)) == 0x038201);
    CHECK(load_le({}) == 0);

    Bytes out(10, 0xee);
    store_le32(out, 0, 0x84038201);
    store_be32(out, 5, 0x84038201);
    CHECK(to_hex(out) == "01820384ee84038201ee");
    store_le(std::span(out).subspan(1, 8), 0x1122334455667788);
    CHECK(to_hex(out) == "018877665544332211ee");
    store_le(std::span(out).first(3), 0xffffffff01020304);  // its lowest bytes
    CHECK(to_hex(out) == "040302665544332211ee");
}

TEST_CASE("hex digits are told from other text", "[text]") {
    CHECK(is_hex(""));
    CHECK(is_hex("0123456789abcdefABCDEF"));
    for (const char* const text : {"g", "0x", " 0", "0 ", "-1", "\xc3\xa4"}) CHECK_FALSE(is_hex(text));
}

TEST_CASE("numbers of up to eight hex digits, and nothing else", "[text]") {
    CHECK(hex8(0x1a) == "0000001a");
    CHECK(parse_hex32("0000001a") == 0x1aU);
    CHECK(parse_hex32("0") == 0U);
    CHECK(parse_hex32("fFfFfFfF") == 0xffffffffU);
    for (const char* const text : {"", "-1", "+1", "1 x", " 1", "1 ", "0x1", "g", "123456789", "000000001"}) {
        INFO(text);
        CHECK_FALSE(parse_hex32(text));
    }
    CHECK_FALSE(parse_hex32(std::string_view("1\0", 2)));
}

TEST_CASE("lower case is ASCII's", "[text]") {
    CHECK(ascii_lower("AbZ[@`{09\xc3\x84") == "abz[@`{09\xc3\x84");
    CHECK(ascii_lower("").empty());
}

TEST_CASE("white space at the ends is taken away", "[text]") {
    CHECK(trimmed(" \t\r\n\v\fa b \n") == "a b");
    CHECK(trimmed("a b") == "a b");
    CHECK(trimmed(" \n ").empty());
    CHECK(trimmed("").empty());
}

TEST_CASE("other people's text is printable and short", "[text]") {
    CHECK(printable("abc") == "abc");
    CHECK(printable("a\x1b[2J\n\xff~") == "a?[2J??~");
    CHECK(printable("abcdef", 5) == "ab...");
    CHECK(printable("").empty());
    CHECK(quoted_text("a\n" + std::string(50, 'b'), 3) == "'a\\x0ab...'");
}

TEST_CASE("JSON with text that is not UTF-8", "[text]") {
    CHECK(json_text(nlohmann::json{{"b", "\xff"}, {"a", 1}}) == "{\"a\":1,\"b\":\"\xef\xbf\xbd\"}");
    CHECK(json_text(nlohmann::ordered_json{{"b", "\xff"}, {"a", 1}}) == "{\"b\":\"\xef\xbf\xbd\",\"a\":1}");
    CHECK(json_text(nlohmann::ordered_json{{"b", 2}}, 1) == "{\n \"b\": 2\n}");
}
