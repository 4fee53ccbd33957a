// A lane: CLHash of one nonce, round by round. Its operations have no branches that depend
// on data but the number of steps: which kind a step is, which vector it takes, is chosen by masks. (docs/verushash.md
// has the definition.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "verushash/scan_function.hpp"
#include "verushash/vectors.hpp"

namespace gpuminer::verushash {
namespace {

constexpr int kLaneRounds = 32;
constexpr int kOperations = 8;
constexpr int kFirstAccumulator = 513;  ///< the vector of the key that a lane starts with

/// Byte offset of a vector of the key.
using Place = std::uint16_t;
/// From bit 5 of the selector on, and from bit 32 on: 9 bits, times 16.
inline Place first_place(std::uint64_t selector) { return static_cast<Place>(selector >> 1 & 0x1ff0); }
inline Place second_place(std::uint64_t selector) { return static_cast<Place>(selector >> 28 & 0x1ff0); }

inline int operation_of(std::uint64_t selector) { return static_cast<int>(selector >> 2 & 7); }

struct alignas(64) Lane {
    Vector accumulator;
    Vector buffer[4];
    std::uint32_t nonce;
    std::size_t rounds;                 ///< that have begun
    Place places[2 * kLaneRounds + 2];  ///< of the vectors that each of them changes: first, second
    Vector key[kKeyLength];             ///< the job's, but for those places

    Vector* vector_at(Place place) { return reinterpret_cast<Vector*>(reinterpret_cast<char*>(key) + place); }
};

/// What all lanes of a job have in common.
struct JobVectors {
    explicit JobVectors(const PreparedJob& job) : key(reinterpret_cast<const char*>(job.key)) {
        const auto* const buffer = reinterpret_cast<const Vector*>(job.buffer);
        for (int i = 0; i < 4; ++i) vectors[i] = load(buffer + i);
    }

    const char* key;
    Vector vectors[4];  ///< of the buffer: state, what follows it
};

inline void copy_key(Lane& lane, const PreparedJob& job) {
    const auto* const key = reinterpret_cast<const Vector*>(job.key);
    for (int i = 0; i < kKeyLength; ++i) store(lane.key + i, load(key + i));
}

/// The lane's key becomes the job's again, where rounds have changed it.
inline void restore(Lane& lane, const JobVectors& job) {
    for (int i = 0; i < 2 * kLaneRounds; ++i) {
        const Place place = lane.places[i];
        store(lane.vector_at(place), load(reinterpret_cast<const Vector*>(job.key + place)));
    }
}

inline void set_nonce(Lane& lane, const JobVectors& job, std::uint32_t nonce) {
    const Vector with_nonce = replace_first_word(job.vectors[2], nonce);
    lane.nonce = nonce;
    lane.buffer[0] = add(job.vectors[0], with_nonce);
    lane.buffer[1] = add(job.vectors[1], job.vectors[3]);
    lane.buffer[2] = with_nonce;
    lane.buffer[3] = job.vectors[3];
}

/// Writes down the accumulator and what the next round will change (of a 33rd, too, which does not happen). Returns the
/// round's selector.
inline std::uint64_t note_round(Lane& lane, Vector accumulator) {
    const std::uint64_t selector = low_half(accumulator);
    store(&lane.accumulator, accumulator);
    lane.places[2 * lane.rounds] = first_place(selector);
    lane.places[2 * lane.rounds + 1] = second_place(selector);
    ++lane.rounds;
    return selector;
}

/// A round that has begun.
struct Round {
    explicit Round(Lane& lane)
        : accumulator(load(&lane.accumulator)),
          selector(low_half(accumulator)),
          first(lane.vector_at(lane.places[2 * lane.rounds - 2])),
          second(lane.vector_at(lane.places[2 * lane.rounds - 1])),
          buffer(lane.buffer) {}

    Vector accumulator;
    std::uint64_t selector;
    Vector* first;
    Vector* second;
    const Vector* buffer;

    [[nodiscard]] Vector near() const { return load(buffer + (selector & 3)); }
    [[nodiscard]] Vector far() const { return load(buffer + ((selector & 3) ^ 1)); }
    [[nodiscard]] Vector changed(Vector vector) const { return add(vector, scaled_products(accumulator, vector)); }
    [[nodiscard]] Vector remainder(std::uint64_t dividend) const {
        return with_low_half(
            static_cast<std::uint32_t>(static_cast<std::int64_t>(dividend) % static_cast<std::int32_t>(selector)));
    }
    void exchange_changed_first() {
        const Vector value = changed(load(first)), old_second = load(second);
        store(second, value);
        store(first, old_second);
    }
};

template <int kNumber>
inline void operate(Round& r);

template <>
inline void operate<0>(Round& r) {
    const Vector second = load(r.second);
    r.accumulator = add(r.accumulator, product_of_halves(add(second, r.far())));
    const Vector value = r.changed(second), first = load(r.first);
    store(r.first, value);
    r.accumulator = add(r.accumulator, product_of_halves(add(first, r.near())));
    store(r.second, r.changed(first));
}

template <>
inline void operate<1>(Round& r) {
    const Vector first = load(r.first), near = r.near();
    r.accumulator = add(r.accumulator, add(product_of_halves(add(first, near)), product_of_halves(near)));
    const Vector value = r.changed(first), second = load(r.second);
    store(r.second, value);
    r.accumulator = add(r.accumulator, add(second, r.far()));
    store(r.first, r.changed(second));
}

template <>
inline void operate<2>(Round& r) {
    const Vector second = load(r.second), far = r.far();
    r.accumulator = add(r.accumulator, add(second, r.near()));
    const Vector value = r.changed(second), first = load(r.first);
    store(r.first, value);
    r.accumulator = add(r.accumulator, add(product_of_halves(add(first, far)), product_of_halves(far)));
    store(r.second, r.changed(first));
}

template <>
inline void operate<3>(Round& r) {
    const Vector first = load(r.first), near = r.near();
    r.accumulator = add(r.accumulator, add(first, r.far()));
    const std::uint64_t dividend = low_half(r.accumulator);
    const Vector odd = splat(-(dividend & 1));
    r.accumulator = add(r.accumulator, r.remainder(dividend));
    const Vector value = r.changed(first), second = load(r.second);
    store(r.second, value);
    const Vector products = add(product_of_halves(add(second, near)), product_of_halves(near));
    r.accumulator = add(r.accumulator, choose(odd, products, near));
    store(r.first, add(second, keep(odd, scaled_products(r.accumulator, second))));
}

template <>
inline void operate<4>(Round& r) {
    Vector x = r.far(), y = r.near();
    for (int i = 0; i < 12; i += 4) {
        encrypt_two(x, y, r.first + i);
        mix_two(x, y);
    }
    r.accumulator = add(r.accumulator, add(x, y));
    r.exchange_changed_first();
}

/// The steps of operations 5 and 6, from the highest number down. What is asked for is the current step's.
class Steps {
public:
    explicit Steps(const Round& r)
        : left_(static_cast<int>(r.selector >> 61)),
          // Bit 28 + left of the selector, for all of them, at the top; the same for which vector of the buffer: its
          // lowest bit changes with the kind, with each step and with the selector's.
          kinds_(r.selector << (35 - left_)),
          even_(load(r.buffer + (r.selector & 2))),
          odd_(load(r.buffer + (r.selector & 2) + 1)),
          kind_masks_(splat(kinds_)),
          choice_masks_(splat((r.selector ^ kOddSteps ^ (r.selector & 1 ? kAllSteps : 0)) << (35 - left_))) {}

    [[nodiscard]] Vector kind_mask() const { return kind_masks_; }
    [[nodiscard]] bool kind() const { return kinds_ >> 63 != 0; }
    [[nodiscard]] Vector input() const { return choose(choice_masks_, odd_, even_); }
    /// False: that was the last.
    bool next() {
        kinds_ <<= 1;
        kind_masks_ = shift_halves_left_by_one(kind_masks_);
        choice_masks_ = shift_halves_left_by_one(choice_masks_);
        return --left_ >= 0;
    }

private:
    static constexpr std::uint64_t kAllSteps = std::uint64_t{0xff} << 28;
    static constexpr std::uint64_t kOddSteps = std::uint64_t{0xaa} << 28;

    int left_;
    std::uint64_t kinds_;
    Vector even_;
    Vector odd_;
    Vector kind_masks_;
    Vector choice_masks_;
};

template <>
inline void operate<5>(Round& r) {
    Steps steps(r);
    const Vector* key = r.first;
    const Vector* round_keys = r.first + 1;  // of AES; one further with each step, four with those that encrypt
    do {
        const Vector value = load(key++), input = steps.input();
        const Vector product = product_of_halves(add(value, input));
        Vector x = value, y = input;
        encrypt_two(x, y, round_keys);
        mix_two(x, y);
        r.accumulator = add(r.accumulator, choose(steps.kind_mask(), product, add(x, y)));
        round_keys += steps.kind() ? 1 : 5;
    } while (steps.next());
    r.exchange_changed_first();
}

template <>
inline void operate<6>(Round& r) {
    Steps steps(r);
    const Vector* key = r.first;
    Vector last;
    do {
        const Vector dividend = add(load(key++), steps.input());
        const Vector product = product_of_halves(dividend);
        const Vector divides = halves_with_sign(steps.kind_mask());
        const Vector remainder = keep(divides, r.remainder(low_half(dividend)));
        // (Scaled by zero it is zero.)
        const Vector scaled = scaled_products(r.accumulator, clear(divides, product));
        r.accumulator = add(add(r.accumulator, remainder), scaled);
        last = choose(divides, dividend, product);
    } while (steps.next());
    const Vector second = load(r.second);
    store(r.second, last);
    store(r.first, add(second, r.accumulator));
}

template <>
inline void operate<7>(Round& r) {
    const Vector second = load(r.second);
    r.accumulator = add(r.accumulator, product_of_halves(add(second, r.near())));
    const Vector value = r.changed(second), first = load(r.first);
    store(r.first, value);
    r.accumulator = add(r.accumulator, add(first, r.far()));
    store(r.second, r.changed(first));
}

/// CLHash's end: reduction modulo x^64 + x^4 + x^3 + x + 1.
inline std::uint64_t reduce(Vector accumulator) {
    const Vector modulus = with_low_half(0x1b);
    const Vector sum = add(accumulator, with_low_half(1 << 16));
    const Vector once = product_of_high_and_low(sum, modulus);
    return low_half(add(add(sum, once), product_of_high_and_low(once, modulus)));
}

/// Of a lane whose rounds are over: the last Haraka-512, and the most significant 32 bits of its hash.
inline std::uint32_t top_word(const Lane& lane, const JobVectors& job) {
    const std::uint64_t intermediate = reduce(lane.accumulator);
    // From byte 47 of the buffer on: its bytes 0 … 7 again and again.
    const Vector third = replace_last_byte(lane.buffer[2], static_cast<std::uint8_t>(intermediate));
    const Vector fill = splat(intermediate >> 8 | intermediate << 56);
    FourStates states{job.vectors[0], job.vectors[1], third, fill};
    const Vector* keys = lane.key + (intermediate & 511);
    for (int round = 0; round < 5; ++round, keys += 8) {
        encrypt_four(states, keys);
        mix_four(states);
    }
    // Bytes 24 … 31 of the digest: as a number it is little-endian.
    return static_cast<std::uint32_t>(low_half(add(states.d, fill)) >> 32);
}

}  // namespace
}  // namespace gpuminer::verushash
