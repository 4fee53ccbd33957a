#include "verushash/clhash.hpp"

#include <algorithm>

#include "verushash/haraka.hpp"

namespace gpuminer::verushash {
namespace {

constexpr int kClhashRounds = 32;

/// What the original CLHash is told of lengths: 1024 · 64 (without carries), at the end.
constexpr std::uint64_t kLengths = std::uint64_t{1024} * 64;
/// x^64 is congruent to this modulo x^64 + x^4 + x^3 + x + 1.
constexpr std::uint64_t kReduction = 0x1b;

Vector128 product_of_halves(const Vector128& x) { return carryless_product(x.low(), x.high()); }

/// A round: what all eight operations have in common. Which of them it is, and with what, the low half of the
/// accumulator decides.
struct Round {
    std::uint64_t selector;
    Vector128& accumulator;
    Vector128* first;  ///< two vectors of the key, to be changed, and perhaps one and the same
    Vector128* second;
    Vector128 near;  ///< two vectors of the input
    Vector128 far;

    void add(const Vector128& value) { accumulator = accumulator ^ value; }
    [[nodiscard]] Vector128 changed(const Vector128& vector) const {
        return vector ^ scaled_products(accumulator, vector);
    }
    /// Of two signed numbers, the second one's 32 bits from the selector; the sign is the dividend's.
    [[nodiscard]] Vector128 remainder(const Vector128& dividend) const {
        const auto divisor = static_cast<std::int32_t>(selector);  // neither 0 nor -1: bits 2 … 4 are 3 or 6
        const auto result = static_cast<std::int32_t>(static_cast<std::int64_t>(dividend.low()) % divisor);
        return vector_of(static_cast<std::uint32_t>(result));
    }
    /// Changed as the accumulator is now, the second vector to the place of the first one and the reverse.
    void exchange_changed_first() {
        const Vector128 value = changed(*first), old_second = *second;
        *second = value;
        *first = old_second;  // last: where both are one vector, it stays as it was
    }
};

// The operations, in the order of their numbers.

void multiply_both(Round& round) {
    const Vector128 second = *round.second;
    round.add(product_of_halves(second ^ round.far));
    const Vector128 value = round.changed(second), first = *round.first;
    *round.first = value;
    round.add(product_of_halves(first ^ round.near));
    *round.second = round.changed(first);
}

void multiply_first(Round& round) {
    const Vector128 first = *round.first;
    round.add(product_of_halves(first ^ round.near) ^ product_of_halves(round.near));
    const Vector128 value = round.changed(first), second = *round.second;
    *round.second = value;
    round.add(second ^ round.far);
    *round.first = round.changed(second);
}

void multiply_second(Round& round) {
    const Vector128 second = *round.second;
    round.add(second ^ round.near);
    const Vector128 value = round.changed(second), first = *round.first;
    *round.first = value;
    round.add(product_of_halves(first ^ round.far) ^ product_of_halves(round.far));
    *round.second = round.changed(first);
}

void divide(Round& round) {
    const Vector128 first = *round.first;
    round.add(first ^ round.far);
    const bool odd = (round.accumulator.low() & 1) != 0;
    round.add(round.remainder(round.accumulator));
    const Vector128 value = round.changed(first), second = *round.second;
    *round.second = value;
    if (odd) {
        round.add(product_of_halves(second ^ round.near) ^ product_of_halves(round.near));
        *round.first = round.changed(second);
    } else {
        *round.first = second;
        round.add(round.near);
    }
}

/// Two AES rounds of each state, and their columns mixed; `keys`: four of the key's vectors.
MixedStates encrypt_two(Vector128 x, Vector128 y, const Vector128* keys) {
    x = aes_round(aes_round(x, keys[0]), keys[2]);
    y = aes_round(aes_round(y, keys[1]), keys[3]);
    return mix_columns_of_two(x, y);
}

void encrypt(Round& round) {
    MixedStates states{round.far, round.near};
    for (std::size_t i = 0; i < 12; i += 4) states = encrypt_two(states.first, states.second, round.first + i);
    round.add(states.first ^ states.second);
    round.exchange_changed_first();
}

/// One to eight steps, counted down as the selector's top three bits say; which of two kinds each is, bits 28 to 35
/// say.
template <typename StepA, typename StepB>
void repeat(const Round& round, StepA step_of_set_bit, StepB step_of_clear_bit) {
    const Vector128* key = round.first;
    for (std::uint64_t left = (round.selector >> 61) + 1; left-- > 0; ++key) {
        const bool odd = (left & 1) != 0;
        if ((round.selector >> (28 + left) & 1) != 0) {
            step_of_set_bit(key, odd ? round.near : round.far);
        } else {
            step_of_clear_bit(key, odd ? round.far : round.near);
        }
    }
}

void multiply_or_encrypt(Round& round) {
    std::size_t encrypted = 0;
    repeat(
        round, [&](const Vector128* key, const Vector128& input) { round.add(product_of_halves(*key ^ input)); },
        [&](const Vector128* key, const Vector128& input) {
            const MixedStates states = encrypt_two(*key, input, key + 1 + 4 * encrypted++);
            round.add(states.first ^ states.second);
        });
    round.exchange_changed_first();
}

void divide_or_multiply(Round& round) {
    Vector128 last;
    repeat(
        round,
        [&](const Vector128* key, const Vector128& input) {
            last = *key ^ input;
            round.add(round.remainder(last));
        },
        [&](const Vector128* key, const Vector128& input) {
            last = product_of_halves(*key ^ input);
            round.add(scaled_products(round.accumulator, last));
        });
    const Vector128 second = *round.second;
    *round.second = last;
    *round.first = second ^ round.accumulator;
}

void multiply_second_and_add(Round& round) {
    const Vector128 second = *round.second;
    round.add(product_of_halves(second ^ round.near));
    const Vector128 value = round.changed(second), first = *round.first;
    *round.first = value;
    round.add(first ^ round.far);
    *round.second = round.changed(first);
}

constexpr std::array kOperations = {multiply_both, multiply_first,      multiply_second,    divide,
                                    encrypt,       multiply_or_encrypt, divide_or_multiply, multiply_second_and_add};

std::uint64_t reduce(const Vector128& value) {
    const Vector128 once = carryless_product(value.high(), kReduction);
    return value.low() ^ once.low() ^ carryless_product(once.high(), kReduction).low();
}

}  // namespace

Key make_key(std::span<const std::uint8_t, 32> seed) {
    Key key;
    Digest link{};
    std::ranges::copy(seed, link.begin());
    for (std::size_t i = 0; i < key.size(); i += 2) {
        link = haraka256(link);
        std::copy_n(link.begin(), 16, key[i].bytes.begin());
        std::copy_n(link.begin() + 16, 16, key[i + 1].bytes.begin());
    }
    return key;
}

std::uint64_t clhash(Key& key, std::span<const std::uint8_t, 64> input) {
    std::array<Vector128, 4> buffer;
    for (std::size_t i = 0; i < buffer.size(); ++i)
        std::ranges::copy(input.subspan(16 * i, 16), buffer[i].bytes.begin());
    buffer[0] = buffer[0] ^ buffer[2];
    buffer[1] = buffer[1] ^ buffer[3];

    Vector128 accumulator = key[kMutableVectors + 1];
    for (int i = 0; i < kClhashRounds; ++i) {
        const std::uint64_t selector = accumulator.low();
        Round round{selector,
                    accumulator,
                    &key[selector >> 5 & (kMutableVectors - 1)],
                    &key[selector >> 32 & (kMutableVectors - 1)],
                    buffer[selector & 3],
                    buffer[(selector & 3) ^ 1]};
        kOperations[selector >> 2 & 7](round);
    }
    return reduce(accumulator ^ vector_of(kLengths));
}

}  // namespace gpuminer::verushash
