#include "host/block/hash256.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <boost/multiprecision/cpp_int.hpp>

#include "host/block/sha256.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

double to_double(const Hash256& value) {
    double number = 0;
    for (const std::uint8_t byte : value.bytes) number = number * 256 + byte;
    return number;
}

// The target of difficulty 1, 0x00000000ffff0000…00: the easiest that Bitcoin's main network allows.
Hash256 difficulty_1_target() {
    Hash256 target;
    target.bytes[4] = target.bytes[5] = 0xff;
    return target;
}

// Digits and a power of ten: what a difficulty is once its text has been understood.
struct Decimal {
    std::string digits;  // without leading zeros; empty for zero
    long exponent = 0;   // the number is digits × 10^exponent
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads [0-9]* into `digits` and returns how many there were.
std::size_t take_digits(std::string_view& rest, std::string& digits) {
    std::size_t count = 0;
    while (count < rest.size() && is_digit(rest[count])) ++count;
    digits += rest.substr(0, count);
    rest.remove_prefix(count);
    return count;
}

// [0-9]*(.[0-9]*)?([eE][+-]?[0-9]+)? with at least one digit before the exponent. False where it is not that.
bool parse_decimal(std::string_view rest, Decimal& number) {
    constexpr long kHugeExponent = 1'000'000;  // far beyond any difficulty; larger ones are read as this
    std::size_t count = take_digits(rest, number.digits);
    if (!rest.empty() && rest.front() == '.') {
        rest.remove_prefix(1);
        const std::size_t fraction = take_digits(rest, number.digits);
        number.exponent = -static_cast<long>(fraction);
        count += fraction;
    }
    if (count == 0) return false;
    if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
        rest.remove_prefix(1);
        const bool negative = !rest.empty() && rest.front() == '-';
        if (negative || (!rest.empty() && rest.front() == '+')) rest.remove_prefix(1);
        std::string exponent_digits;
        if (take_digits(rest, exponent_digits) == 0) return false;
        long exponent = 0;
        for (const char c : exponent_digits) exponent = std::min(exponent * 10 + (c - '0'), kHugeExponent);
        number.exponent += negative ? -exponent : exponent;
    }
    if (!rest.empty()) return false;
    number.digits.erase(0, number.digits.find_first_not_of('0'));
    return true;
}

// nBits as arith_uint256::SetCompact of Bitcoin Core reads them: one byte of size, a sign bit, 23 bits of mantissa.
std::uint32_t mantissa_of(std::uint32_t nbits) {
    const std::uint32_t size = nbits >> 24;
    const std::uint32_t mantissa = nbits & 0x007fffff;
    return size <= 3 ? mantissa >> (8 * (3 - size)) : mantissa;
}

// Null where they are a target.
const char* why_no_target(std::uint32_t nbits) {
    const std::uint32_t size = nbits >> 24, mantissa = mantissa_of(nbits);
    if (mantissa == 0) return "it is zero";
    if ((nbits & 0x00800000) != 0) return "it is negative";
    const bool too_large = size > 34 || (mantissa > 0xff && size > 33) || (mantissa > 0xffff && size > 32);
    return too_large ? "it is more than 256 bits" : nullptr;
}

/// floor(difficulty-1 target / number), if that has at most 256 bits; the caller has bounded the number's size.
std::optional<Hash256> divide_difficulty_1_target(const Decimal& number) {
    using boost::multiprecision::cpp_int;
    constexpr unsigned kBits = 256;
    const Hash256 one = difficulty_1_target();
    cpp_int dividend, divisor(number.digits);
    import_bits(dividend, one.bytes.begin(), one.bytes.end());
    cpp_int& scaled = number.exponent < 0 ? dividend : divisor;
    scaled *= pow(cpp_int(10), static_cast<unsigned>(std::abs(number.exponent)));
    const cpp_int quotient = dividend / divisor;
    Hash256 target;
    if (quotient == 0) return target;
    if (msb(quotient) >= kBits) return std::nullopt;
    std::vector<std::uint8_t> bytes;
    export_bits(quotient, std::back_inserter(bytes), 8);
    std::ranges::copy(bytes, target.bytes.end() - static_cast<std::ptrdiff_t>(bytes.size()));
    return target;
}

}  // namespace

std::string Hash256::hex() const { return to_hex(bytes); }

Hash256 target_from_nbits(std::uint32_t nbits) {
    if (const char* const why = why_no_target(nbits)) {
        const std::uint32_t reversed = __builtin_bswap32(nbits);
        const std::string hint =
            why_no_target(reversed) == nullptr ? fmt::format("; {}, its bytes reversed, is one", hex8(reversed)) : "";
        throw InputError(fmt::format("nBits {} is not a target: {}{}", hex8(nbits), why, hint));
    }
    const std::uint32_t size = nbits >> 24;
    const std::uint32_t mantissa = mantissa_of(nbits);
    Hash256 target;
    const std::uint32_t zero_bytes = size <= 3 ? 0 : size - 3;  // below the mantissa
    for (std::uint32_t i = 0; i < 3 && zero_bytes + i < target.bytes.size(); ++i) {
        target.bytes[target.bytes.size() - 1 - zero_bytes - i] = static_cast<std::uint8_t>(mantissa >> (8 * i));
    }
    return target;
}

std::uint32_t nbits_from_hex(std::string_view hex) {
    constexpr std::string_view kExpected = "nBits of 8 hex digits";
    require_hex_digits(hex, kExpected);
    if (hex.size() != 8) throw InputError(fmt::format("expected {}, got {}", kExpected, hex.size()));
    std::array<std::uint8_t, 4> bytes{};
    decode_hex(hex, bytes);
    return load_be32(bytes);
}

Hash256 hash256_from_hex(std::string_view hex, std::string_view what) {
    const std::string expected = fmt::format("{} of 64 hex digits", what);
    require_hex_digits(hex, expected);
    if (hex.size() != 64) throw InputError(fmt::format("expected {}, got {}", expected, hex.size()));
    Hash256 value;
    decode_hex(hex, value.bytes);
    return value;
}

Hash256 target_from_hex(std::string_view hex) { return hash256_from_hex(hex, "a target"); }

Hash256 target_from_difficulty(std::string_view difficulty) {
    constexpr std::size_t kLongestText = 200;  // keeps the numbers below small
    // Between these powers of ten lie all difficulties that have a target of 1 to 2^256-1 (2.4e-10 … 2.7e67).
    constexpr long kLargestMagnitude = 69;
    constexpr long kSmallestMagnitude = -11;
    const auto fail = [&](std::string_view why) -> InputError {
        return InputError(fmt::format("difficulty {} {}", quoted_text(difficulty), why));
    };
    if (difficulty.size() > kLongestText) throw fail(fmt::format("is longer than {} characters", kLongestText));
    Decimal number;
    if (!parse_decimal(difficulty, number)) throw fail("is not a positive decimal number like 1, 0.001 or 1e12");
    if (number.digits.empty()) throw fail("is zero, but it must be positive");

    constexpr std::string_view kTooLarge = "is too large: its target is zero (the largest is about 2.69e67)";
    constexpr std::string_view kTooSmall =
        "is too small: its target is more than 256 bits (the smallest is about 2.33e-10)";
    const long magnitude = static_cast<long>(number.digits.size()) + number.exponent;
    if (magnitude > kLargestMagnitude) throw fail(kTooLarge);
    if (magnitude < kSmallestMagnitude) throw fail(kTooSmall);
    const std::optional<Hash256> target = divide_difficulty_1_target(number);
    if (!target) throw fail(kTooSmall);
    if (*target == Hash256{}) throw fail(kTooLarge);
    return *target;
}

Hash256 target_from_difficulty(double difficulty) {
    if (!std::isfinite(difficulty) || difficulty <= 0) {
        throw InputError(fmt::format("expected a positive difficulty, got {}", difficulty));
    }
    constexpr int kMantissaBits = std::numeric_limits<double>::digits;
    int exponent = 0;
    const auto divisor = static_cast<std::uint64_t>(std::ldexp(std::frexp(difficulty, &exponent), kMantissaBits));
    // The target is floor(0xffff × 2^zeros / divisor), by long division: its bits, the highest first.
    const int zeros = 208 + kMantissaBits - exponent;
    Hash256 target;
    std::uint64_t remainder = 0;
    for (int bit = zeros + 15; bit >= 0; --bit) {
        remainder = 2 * remainder + (bit >= zeros ? 1 : 0);
        if (remainder < divisor) continue;
        remainder -= divisor;
        if (bit >= 256) {
            target.bytes.fill(0xff);
            return target;
        }
        target.bytes[31 - bit / 8] |= static_cast<std::uint8_t>(1 << bit % 8);
    }
    if (target == Hash256{}) target.bytes.back() = 1;
    return target;
}

bool is_target(std::uint32_t nbits) { return why_no_target(nbits) == nullptr; }

double difficulty_of(const Hash256& target) {
    if (target == Hash256{}) return std::numeric_limits<double>::infinity();
    return to_double(difficulty_1_target()) / to_double(target);
}

double expected_hashes(const Hash256& target) { return std::ldexp(1.0, 256) / (to_double(target) + 1); }

Digest double_sha256_digest(std::span<const std::uint8_t> data) { return sha256_digest(sha256_digest(data)); }

Hash256 display_order(const Digest& digest) {
    Hash256 hash;
    std::reverse_copy(digest.begin(), digest.end(), hash.bytes.begin());
    return hash;
}

Digest internal_order(const Hash256& hash) {
    Digest digest{};
    std::reverse_copy(hash.bytes.begin(), hash.bytes.end(), digest.begin());
    return digest;
}

}  // namespace gpuminer
