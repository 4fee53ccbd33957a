// Numbers in bytes, text, and JSON as text.
#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "host/text/bytes.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"
#include "host/text/unicode.hpp"
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

TEST_CASE("what a server says is printable and short", "[text]") {
    CHECK(printable_ascii("abc") == "abc");
    CHECK(printable_ascii("a\x1b[2J\n\xff~") == "a?[2J??~");
    CHECK(printable_ascii("abcdef", 5) == "ab...");
    CHECK(printable_ascii("").empty());
    CHECK(quoted_text("a\n" + std::string(50, 'b'), 3) == "'a\\x0ab...'");
}

TEST_CASE("UTF-8 is taken apart, and what is none is seen", "[text]") {
    const auto decoded = [](std::string_view text) {
        const DecodedCharacter character = decode_utf8(text);
        return character.valid ? static_cast<long>(character.point) : -static_cast<long>(character.size);
    };
    CHECK(decoded("a") == 'a');
    CHECK(decoded(std::string_view("\0", 1)) == 0);
    CHECK(decoded("\xc2\x80") == 0x80);
    CHECK(decoded("\xdf\xbf") == 0x7ff);
    CHECK(decoded("\xe0\xa0\x80") == 0x800);
    CHECK(decoded("\xef\xbf\xbfx") == 0xffff);
    CHECK(decoded("\xf0\x90\x80\x80") == 0x10000);
    CHECK(decoded("\xf4\x8f\xbf\xbf") == 0x10ffff);
    for (const char* bad : {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2z", "\xe0\x9f\xbf", "\xe2\x82",
                            "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
        INFO(to_hex({reinterpret_cast<const std::uint8_t*>(bad), std::string_view(bad).size()}));
        CHECK(decoded(bad) == -1);
    }
}

TEST_CASE("text of others has nothing that a terminal obeys or a reader does not see", "[text]") {
    CHECK(printable("caf\u00e9 \u4e2d\U0001f600 31 \u00b5s") == "caf\u00e9 \u4e2d\U0001f600 31 \u00b5s");
    CHECK(printable("a\x1b[2J\nb\tc\x7f"
                    "d\u0085e\u009b") == "a [2J b c d e ");
    CHECK(printable("a\u202eb\u2066c\u200bd\u2028e\ufefff\U000e0041g") ==
          "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\ufffdg");
    CHECK(printable("a\xff\xe2\x82z") == "a\ufffd\ufffd\ufffdz");
    CHECK(printable("").empty());
    CHECK(printable_lines("a\nb\r\n\x1b\u2029") == "a\nb \n \ufffd");
}

TEST_CASE("long text of others is cut between characters", "[text]") {
    CHECK(character_count("caf\u00e9 \u4e2d") == 6);
    CHECK(shortened("caf\u00e9", 4) == "caf\u00e9");
    CHECK(shortened("caf\u00e9s", 4) == "caf…");
    CHECK(shortened("\u4e2d\u4e2d\u4e2d", 2) == "\u4e2d…");
    CHECK(shortened("abc", 1) == "…");
    CHECK(shortened("", 1).empty());
}

TEST_CASE("JSON escapes what a terminal obeys or a reader does not see", "[text]") {
    const std::string hostile = "\x1b\x7f\u009b\u202e\u200b\u2028\ufeff\U000e0041 caf\u00e9 \U0001f600\"\\";
    const std::string text = json_text(nlohmann::json{{hostile, hostile}});
    const std::string escaped =
        "\"\\u001b\\u007f\\u009b\\u202e\\u200b\\u2028\\ufeff\\udb40\\udc41 caf\u00e9 \U0001f600\\\"\\\\\"";
    CHECK(text == "{" + escaped + ":" + escaped + "}");
    CHECK(nlohmann::json::parse(text) == nlohmann::json{{hostile, hostile}});
}

TEST_CASE("JSON with text that is not UTF-8", "[text]") {
    CHECK(json_text(nlohmann::json{{"b", "\xff"}, {"a", 1}}) == "{\"a\":1,\"b\":\"\xef\xbf\xbd\"}");
    CHECK(json_text(nlohmann::ordered_json{{"b", "\xff"}, {"a", 1}}) == "{\"b\":\"\xef\xbf\xbd\",\"a\":1}");
    CHECK(json_text(nlohmann::ordered_json{{"b", 2}}, 1) == "{\n \"b\": 2\n}");
}
