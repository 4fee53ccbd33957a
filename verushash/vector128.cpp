#include "verushash/vector128.hpp"

#include <cstddef>

#include "host/text/bytes.hpp"

namespace gpuminer::verushash {
namespace {

/// Times x in AES's field, GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, 4.2.1).
constexpr std::uint8_t xtime(std::uint8_t value) {
    return static_cast<std::uint8_t>(value << 1 ^ ((value & 0x80) != 0 ? 0x1b : 0));
}

constexpr std::uint8_t field_product(std::uint8_t x, std::uint8_t y) {
    std::uint8_t product = 0;
    for (; y != 0; y >>= 1) {
        if ((y & 1) != 0) product ^= x;
        x = xtime(x);
    }
    return product;
}

/// The substitution as FIPS 197, 5.1.1, defines it: the inverse in the field (0 of 0), then an affine map.
constexpr std::uint8_t substitute(std::uint8_t value) {
    std::uint8_t inverse = 1, power = value;  // value^254, whose exponent is 2 + 4 + … + 128
    for (int i = 0; i < 7; ++i) {
        power = field_product(power, power);
        inverse = field_product(inverse, power);
    }
    std::uint8_t result = 0x63;
    for (unsigned shift = 0; shift < 5; ++shift)
        result ^= static_cast<std::uint8_t>(inverse << shift | inverse >> (8 - shift));
    return result;
}

constexpr std::array<std::uint8_t, 256> kSubstitution = [] {
    std::array<std::uint8_t, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = substitute(static_cast<std::uint8_t>(i));
    return table;
}();

}  // namespace

std::uint64_t Vector128::low() const { return load_le(std::span(bytes).first<8>()); }
std::uint64_t Vector128::high() const { return load_le(std::span(bytes).last<8>()); }

Vector128 vector_of(std::uint64_t low, std::uint64_t high) {
    Vector128 result;
    store_le(std::span(result.bytes).first<8>(), low);
    store_le(std::span(result.bytes).last<8>(), high);
    return result;
}

Vector128 operator^(const Vector128& x, const Vector128& y) {
    Vector128 result;
    for (std::size_t i = 0; i < result.bytes.size(); ++i) result.bytes[i] = x.bytes[i] ^ y.bytes[i];
    return result;
}

Vector128 carryless_product(std::uint64_t x, std::uint64_t y) {
    std::uint64_t low = 0, high = 0;
    for (unsigned i = 0; i < 64; ++i) {
        if ((y >> i & 1) == 0) continue;
        low ^= x << i;
        if (i > 0) high ^= x >> (64 - i);
    }
    return vector_of(low, high);
}

Vector128 scaled_products(const Vector128& x, const Vector128& y) {
    const auto word = [](const Vector128& from, std::size_t i) {
        return static_cast<std::int16_t>(from.bytes[i] | from.bytes[i + 1] << 8);
    };
    Vector128 result;
    for (std::size_t i = 0; i < result.bytes.size(); i += 2) {
        const std::int32_t product = (word(x, i) * word(y, i) + (1 << 14)) >> 15;
        store_le(std::span(result.bytes).subspan(i, 2), static_cast<std::uint64_t>(product));
    }
    return result;
}

Vector128 aes_round(const Vector128& state, const Vector128& round_key) {
    Vector128 result = round_key;
    for (std::size_t column = 0; column < 4; ++column) {
        std::array<std::uint8_t, 4> in{};
        for (std::size_t row = 0; row < 4; ++row) in[row] = kSubstitution[state.bytes[4 * ((column + row) % 4) + row]];
        for (std::size_t row = 0; row < 4; ++row) {  // 2, 3, 1, 1 times the bytes from this row on
            const std::uint8_t next = in[(row + 1) % 4];
            result.bytes[4 * column + row] ^=
                xtime(static_cast<std::uint8_t>(in[row] ^ next)) ^ next ^ in[(row + 2) % 4] ^ in[(row + 3) % 4];
        }
    }
    return result;
}

}  // namespace gpuminer::verushash
