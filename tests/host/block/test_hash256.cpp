// 256-bit values: hex digits, nBits and difficulties to targets and back.
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "host/block/hash256.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;

namespace {

const std::string kZeros(64, '0');

// `digits` followed by zero digits, 64 in all, after `leading` zero digits.
std::string padded(std::size_t leading, const std::string& digits) {
    return std::string(leading, '0') + digits + std::string(64 - leading - digits.size(), '0');
}

}  // namespace

TEST_CASE("a 256-bit number compares from its most significant byte", "[hash256]") {
    const Hash256 small = target_from_hex(padded(10, "ffffffff"));
    const Hash256 large = target_from_hex(padded(9, "1"));
    REQUIRE(small < large);
    REQUIRE(large > small);
    REQUIRE(small == target_from_hex(small.hex()));
    REQUIRE(small <= small);
    Hash256 above = small;
    above.bytes[31] += 1;
    REQUIRE(small < above);
    REQUIRE(target_from_hex(padded(0, "0123abcd")).top_word() == 0x0123abcd);
}

TEST_CASE("a target of 64 hex digits is read in display order", "[hash256]") {
    const std::string text = "00000000000404cb000000000000000000000000000000000000000000000001";
    const Hash256 target = target_from_hex(text);
    REQUIRE(target.hex() == text);
    REQUIRE(target.bytes[5] == 0x04);
    REQUIRE(target.bytes[31] == 0x01);
    REQUIRE(target_from_hex(std::string(64, 'F')).hex() == std::string(64, 'f'));
    REQUIRE(target_from_hex(kZeros) == Hash256{});
}

TEST_CASE("a target that is not 64 hex digits is refused in one sentence", "[hash256]") {
    const auto error_of = [](const std::string& text) { return input_error([&] { (void)target_from_hex(text); }); };
    REQUIRE(error_of("") == "expected a target of 64 hex digits, got 0");
    REQUIRE(error_of(std::string(63, '0')) == "expected a target of 64 hex digits, got 63");
    REQUIRE(error_of(std::string(66, '0')) == "expected a target of 64 hex digits, got 66");
    REQUIRE(error_of("0x" + std::string(62, '0')) == "expected a target of 64 hex digits, but character 2 is 'x'");
    REQUIRE(error_of(std::string(63, '0') + '\n') ==
            "expected a target of 64 hex digits, but character 64 is byte 0x0a");
    REQUIRE(error_of(std::string(64, '\0')) == "expected a target of 64 hex digits, but character 1 is byte 0x00");
    REQUIRE(error_of(std::string(64, '\xff')) == "expected a target of 64 hex digits, but character 1 is byte 0xff");
}

TEST_CASE("a hash of 64 hex digits is named in the error", "[hash256]") {
    REQUIRE(hash256_from_hex(std::string(64, 'a'), "a block hash").hex() == std::string(64, 'a'));
    REQUIRE(input_error([] { (void)hash256_from_hex("1", "a block hash"); }) ==
            "expected a block hash of 64 hex digits, got 1");
}

TEST_CASE("nBits is read from 8 hex digits", "[hash256]") {
    REQUIRE(nbits_from_hex("1d00ffff") == 0x1d00ffff);
    REQUIRE(nbits_from_hex("1B0404CB") == 0x1b0404cb);
    const auto error_of = [](const char* text) { return input_error([&] { (void)nbits_from_hex(text); }); };
    REQUIRE(error_of("1d00fff") == "expected nBits of 8 hex digits, got 7");
    REQUIRE(error_of("") == "expected nBits of 8 hex digits, got 0");
    REQUIRE(error_of("1d00fffg") == "expected nBits of 8 hex digits, but character 8 is 'g'");
}

// The vectors of Bitcoin Core's arith_uint256_tests (bignum_SetCompact) and the limits of each size.
TEST_CASE("compact targets that are valid", "[hash256]") {
    const struct {
        std::uint32_t nbits;
        std::string target;
    } cases[] = {
        {0x01123456, padded(62, "12")},  // a size below three cuts the mantissa
        {0x02123456, padded(60, "1234")},     {0x02008000, padded(62, "80")},
        {0x03123456, padded(58, "123456")},   {0x04123456, padded(56, "12345600")},
        {0x05009234, padded(56, "92340000")}, {0x20123456, padded(0, "123456")},
        {0x1d00ffff, padded(8, "ffff")},  // the easiest of the main network
        {0x1b0404cb, padded(10, "0404cb")},   {0x1e0377ae, padded(4, "0377ae")},
        {0x207fffff, padded(0, "7fffff")},                                      // regtest
        {0x2000ffff, padded(2, "ffff")},      {0x2100ffff, padded(0, "ffff")},  // the most that size 33 can hold
        {0x220000ff, padded(0, "ff")},                                          // the most that size 34 can hold
        {0x22000001, padded(0, "01")},
    };
    for (const auto& c : cases) {
        CAPTURE(c.nbits);
        REQUIRE(target_from_nbits(c.nbits).hex() == c.target);
    }
}

TEST_CASE("compact targets that are negative, zero or too large are refused", "[hash256]") {
    const auto error_of = [](std::uint32_t nbits) { return input_error([&] { (void)target_from_nbits(nbits); }); };
    // Core's zeros: nothing is left of the mantissa, whatever the sign and size say.
    for (const std::uint32_t zero :
         {0x00000000u, 0x00123456u, 0x01003456u, 0x02000056u, 0x03000000u, 0x04000000u, 0x00923456u, 0x01803456u,
          0x02800056u, 0x03800000u, 0x04800000u, 0xff000000u, 0xff800000u, 0x0000ffffu}) {
        CAPTURE(zero);
        REQUIRE_THAT(error_of(zero), Catch::Matchers::EndsWith("is not a target: it is zero"));
    }
    for (const std::uint32_t negative : {0x01fedcbau, 0x04923456u, 0x1d80ffffu, 0x03ffffffu, 0xff923456u}) {
        CAPTURE(negative);
        REQUIRE_THAT(error_of(negative), Catch::Matchers::EndsWith("is not a target: it is negative"));
    }
    for (const std::uint32_t overflow :
         {0xff123456u, 0x23000001u, 0x22000100u, 0x21010000u, 0x217fffffu, 0xff000001u}) {
        CAPTURE(overflow);
        REQUIRE_THAT(error_of(overflow), Catch::Matchers::EndsWith("is not a target: it is more than 256 bits"));
    }
    REQUIRE(error_of(0x04923456) == "nBits 04923456 is not a target: it is negative");
}

// Expected values computed with exact fractions: floor(0xffff × 2^208 / difficulty).
TEST_CASE("a difficulty becomes the exact target", "[hash256]") {
    const struct {
        const char* difficulty;
        const char* target;
    } cases[] = {
        {"1", "00000000ffff0000000000000000000000000000000000000000000000000000"},
        {"1.0", "00000000ffff0000000000000000000000000000000000000000000000000000"},
        {"01", "00000000ffff0000000000000000000000000000000000000000000000000000"},
        {"0.5", "00000001fffe0000000000000000000000000000000000000000000000000000"},
        {".5", "00000001fffe0000000000000000000000000000000000000000000000000000"},
        {"2.", "000000007fff8000000000000000000000000000000000000000000000000000"},
        {"3", "0000000055550000000000000000000000000000000000000000000000000000"},
        {"1e3", "00000000004188f5c28f5c28f5c28f5c28f5c28f5c28f5c28f5c28f5c28f5c28"},
        {"1E+3", "00000000004188f5c28f5c28f5c28f5c28f5c28f5c28f5c28f5c28f5c28f5c28"},
        {"1e-3", "000003e7fc180000000000000000000000000000000000000000000000000000"},
        {"0.001", "000003e7fc180000000000000000000000000000000000000000000000000000"},
        {"1e12", "00000000000000000119787e99468e32f6e0e71cef78ee034b5f8a0944d68076"},
        {"16307.420938523983", "00000000000404cb0000000004f1519c2c1c5441dfb579aa85bdfc2c4aebfbde"},
        {"4.656542373906925e-10", "7ffffefffffffdde9f93ab2691e13ed96e8af1baf211624c0aa5cea0e4db6c12"},
        {"2.69e67", "0000000000000000000000000000000000000000000000000000000000000001"},
        {"2.33e-10", "ffcf5da53278dbbe13c6ddf09e36ef84f1b77c278dbbe13c6ddf09e36ef84f1b"},
        {"123456789.987654321", "0000000000000022c9e8864e180ff88cc34d65a4d8269b67632050a88e89fefd"},
        {"0.1e1", "00000000ffff0000000000000000000000000000000000000000000000000000"},
        {"1000000000000000000000e-21", "00000000ffff0000000000000000000000000000000000000000000000000000"},
        // Exactly the difficulty-1 target: the quotient is one; a difficulty one larger has none.
        {"26959535291011309493156476344723991336010898738574164086137773096960",
         "0000000000000000000000000000000000000000000000000000000000000001"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.difficulty);
        REQUIRE(target_from_difficulty(c.difficulty).hex() == c.target);
    }
}

// A double has a finite decimal expansion: the exact quotient of its digits is the oracle.
TEST_CASE("a difficulty in a double becomes the exact target", "[hash256]") {
    std::mt19937_64 random(1);
    std::vector<double> difficulties = {1,
                                        0.5,
                                        2,
                                        3,
                                        1e3,
                                        0.001,
                                        1e12,
                                        16307.420938523983,
                                        4.656542373906925e-10,
                                        1e15,
                                        1e-5,
                                        0.001164135687528045,
                                        2.69e67,
                                        2.33e-10,
                                        std::ldexp(1, 53) - 1};
    for (int i = 0; i < 1000; ++i) {
        difficulties.push_back(std::ldexp(1 + std::ldexp(static_cast<double>(random() >> 12), -52),
                                          static_cast<int>(random() % 255) - 32));
    }
    for (const double difficulty : difficulties) {
        std::array<char, 200> exact{};
        std::snprintf(exact.data(), exact.size(), "%.90f", difficulty);
        CAPTURE(exact.data());
        REQUIRE(target_from_difficulty(difficulty) == target_from_difficulty(exact.data()));
    }
}

TEST_CASE("a difficulty in a double has a target as long as it is positive", "[hash256]") {
    for (const double easy : {2.3e-10, 1e-20, 1e-300, std::numeric_limits<double>::denorm_min()}) {
        CHECK(target_from_difficulty(easy).hex() == std::string(64, 'f'));
    }
    for (const double hard : {2.7e67, 1e80, 1e300, std::numeric_limits<double>::max()}) {
        CHECK(target_from_difficulty(hard).hex() == std::string(63, '0') + "1");
    }
    const auto error_of = [](double value) { return input_error([&] { (void)target_from_difficulty(value); }); };
    CHECK(error_of(0) == "expected a positive difficulty, got 0");
    CHECK(error_of(-1.5) == "expected a positive difficulty, got -1.5");
    CHECK(error_of(std::numeric_limits<double>::infinity()) == "expected a positive difficulty, got inf");
    CHECK(error_of(std::numeric_limits<double>::quiet_NaN()) == "expected a positive difficulty, got nan");
}

TEST_CASE("text that is not a positive number is no difficulty", "[hash256]") {
    const auto error_of = [](std::string_view text) {
        return input_error([&] { (void)target_from_difficulty(text); });
    };
    for (const std::string_view text : {"",    ".",   "e5",    "1,5",   "nan", "inf", "-1",  "+1",    "0x10", "1e",
                                        "1e+", "1e-", "1.2.3", "1e2.5", " 1",  "1 ",  "1\n", "1_000", "1k",   "--1"}) {
        CAPTURE(text);
        REQUIRE_THAT(error_of(text),
                     Catch::Matchers::EndsWith("is not a positive decimal number like 1, 0.001 or 1e12"));
        REQUIRE(is_plain_sentence(error_of(text)));
    }
    REQUIRE(is_plain_sentence(error_of(std::string_view("1\0", 2))));
    for (const std::string_view text : {"0", "0.0", "0e99", "000", ".0", "0e-99999999999999999999"}) {
        CAPTURE(text);
        REQUIRE_THAT(error_of(text), Catch::Matchers::EndsWith("is zero, but it must be positive"));
    }
}

TEST_CASE("a difficulty without a 256-bit target is refused at once", "[hash256]") {
    const auto error_of = [](std::string_view text) {
        return input_error([&] { (void)target_from_difficulty(text); });
    };
    for (const std::string_view text :
         {"2.7e67", "26959535291011309493156476344723991336010898738574164086137773096961", "1e68", "1e100",
          "1e999999999999999999999999", "1e2147483648", "1e9223372036854775808"}) {
        CAPTURE(text);
        REQUIRE(contains(error_of(text), "is too large"));
    }
    // The first is exactly 65535 / 2^48, whose target would be 2^256.
    for (const std::string_view text :
         {"2.32827090940190828405320644378662109375e-10", "2.3e-10", "1e-20", "1e-99999999999999999999999"}) {
        CAPTURE(text);
        REQUIRE(contains(error_of(text), "is too small"));
    }
    REQUIRE(target_from_difficulty("2.3282709094019082840532064437866210938e-10").top_word() == 0xffffffff);

    const std::string long_text = error_of(std::string(1'000'000, '9'));
    REQUIRE_THAT(long_text, Catch::Matchers::EndsWith("is longer than 200 characters"));
    REQUIRE(is_plain_sentence(long_text));
    REQUIRE(target_from_difficulty("1." + std::string(198, '0')) == target_from_difficulty("1"));
}

TEST_CASE("the difficulty of a target is what people know", "[hash256]") {
    REQUIRE(difficulty_of(target_from_nbits(0x1d00ffff)) == 1);
    REQUIRE(difficulty_of(target_from_nbits(0x1b0404cb)) == Approx(16307.420938523983).epsilon(1e-14));
    REQUIRE(difficulty_of(target_from_nbits(0x207fffff)) == Approx(4.656542373906925e-10).epsilon(1e-14));
    REQUIRE(difficulty_of(target_from_hex(std::string(64, 'f'))) == Approx(2.3282709094019083e-10).epsilon(1e-14));
    REQUIRE(difficulty_of(Hash256{}) == std::numeric_limits<double>::infinity());
    for (const char* text : {"1", "0.001", "123456.789", "1e12", "3e50"}) {
        REQUIRE(difficulty_of(target_from_difficulty(text)) == Approx(std::stod(text)).epsilon(1e-14));
    }
}

TEST_CASE("the hashes that a hit takes on average", "[hash256]") {
    REQUIRE(expected_hashes(target_from_hex(std::string(64, 'f'))) == 1);
    REQUIRE(expected_hashes(target_from_hex("7" + std::string(63, 'f'))) == 2);
    REQUIRE(expected_hashes(Hash256{}) == std::ldexp(1.0, 256));
    REQUIRE(expected_hashes(target_from_nbits(0x1d00ffff)) == Approx(4295032833.0).epsilon(1e-12));
}
