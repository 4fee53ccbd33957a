// SHA-256 as FIPS 180-4 writes it, over any word type: a number, or a symbolic word that remembers how it
// was computed. The verbs (add rotr shr xor3 ch maj) are found by argument-dependent look-up.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace gpuminer::sha256 {

/// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
inline constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// FIPS 180-4, 5.3.3: the first 32 bits of the fractional parts of the square roots of the first 8 primes.
inline constexpr std::array<std::uint32_t, 8> kInitialState = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// The verbs over numbers.
template <std::same_as<std::uint32_t>... Words>
constexpr std::uint32_t add(Words... words) {
    return (words + ...);
}
constexpr std::uint32_t rotr(std::uint32_t x, int n) { return std::rotr(x, n); }
constexpr std::uint32_t shr(std::uint32_t x, int n) { return x >> n; }
constexpr std::uint32_t xor3(std::uint32_t x, std::uint32_t y, std::uint32_t z) { return x ^ y ^ z; }
constexpr std::uint32_t ch(std::uint32_t x, std::uint32_t y, std::uint32_t z) { return z ^ (x & (y ^ z)); }
constexpr std::uint32_t maj(std::uint32_t x, std::uint32_t y, std::uint32_t z) { return y ^ ((x ^ y) & (y ^ z)); }

// FIPS 180-4, 4.1.2.
template <class Word>
constexpr Word big_sigma0(Word x) {
    return xor3(rotr(x, 2), rotr(x, 13), rotr(x, 22));
}
template <class Word>
constexpr Word big_sigma1(Word x) {
    return xor3(rotr(x, 6), rotr(x, 11), rotr(x, 25));
}
template <class Word>
constexpr Word small_sigma0(Word x) {
    return xor3(rotr(x, 7), rotr(x, 18), shr(x, 3));
}
template <class Word>
constexpr Word small_sigma1(Word x) {
    return xor3(rotr(x, 17), rotr(x, 19), shr(x, 10));
}

template <class Word>
using State = std::array<Word, 8>;  ///< a b c d e f g h
template <class Word>
using Block = std::array<Word, 16>;  ///< big-endian words of a 64-byte block

/// The 64-word message schedule (6.2.2, step 1), made just in time in a window of 16 words.
template <class Word>
class Schedule {
public:
    constexpr explicit Schedule(const Block<Word>& block) : window_(block) {}

    /// W[t]; to be called for t = 0, 1, 2, … in turn.
    constexpr Word next(std::size_t t) {
        Word& w = window_[t % 16];  // still holds W[t-16]
        if (t >= 16)
            w = add(small_sigma1(window_[(t - 2) % 16]), window_[(t - 7) % 16], small_sigma0(window_[(t - 15) % 16]),
                    w);
        return w;
    }

private:
    Block<Word> window_;
};

/// One round (6.2.2, step 3).
template <class Word>
constexpr State<Word> round(const State<Word>& s, Word k, Word w) {
    const auto& [a, b, c, d, e, f, g, h] = s;
    const Word t1 = add(h, big_sigma1(e), ch(e, f, g), k, w);
    const Word t2 = add(big_sigma0(a), maj(a, b, c));
    return {add(t1, t2), a, b, c, add(d, t1), e, f, g};
}

/// The compression function (6.2.2): the state after one more block.
template <class Word>
constexpr State<Word> compress(const State<Word>& before, const Block<Word>& block) {
    Schedule<Word> schedule(block);
    State<Word> s = before;
    for (std::size_t t = 0; t < 64; ++t) s = round(s, Word{kRoundConstants[t]}, schedule.next(t));
    State<Word> after = s;
    for (std::size_t i = 0; i < 8; ++i) after[i] = add(before[i], s[i]);
    return after;
}

/// The second block of an 80-byte header: bytes 64…75, the nonce as a big-endian word, and padding (5.1.1).
template <class Word>
constexpr Block<Word> header_block2(const std::array<Word, 3>& tail, Word nonce) {
    Block<Word> block;
    block.fill(Word{0u});
    block[0] = tail[0], block[1] = tail[1], block[2] = tail[2], block[3] = nonce;
    block[4] = Word{0x80000000u};
    block[15] = Word{80u * 8};
    return block;
}

/// The second block of a 64-byte message: nothing but padding (5.1.1).
template <class Word>
constexpr Block<Word> padding_block() {
    Block<Word> block;
    block.fill(Word{0u});
    block[0] = Word{0x80000000u};
    block[15] = Word{64u * 8};
    return block;
}

/// A 32-byte digest as a padded block, to be hashed again.
template <class Word>
constexpr Block<Word> digest_block(const State<Word>& digest) {
    Block<Word> block;
    block.fill(Word{0u});
    for (std::size_t i = 0; i < 8; ++i) block[i] = digest[i];
    block[8] = Word{0x80000000u};
    block[15] = Word{32u * 8};
    return block;
}

/// The initial state as words.
template <class Word>
constexpr State<Word> initial_state() {
    State<Word> state;
    state.fill(Word{0u});
    for (std::size_t i = 0; i < 8; ++i) state[i] = Word{kInitialState[i]};
    return state;
}

/// SHA-256d of a header from its midstate: the state whose word 7 decides whether a nonce is a candidate.
template <class Word>
constexpr State<Word> double_hash(const State<Word>& midstate, const std::array<Word, 3>& tail, Word nonce) {
    const State<Word> digest = compress(midstate, header_block2(tail, nonce));
    return compress(initial_state<Word>(), digest_block(digest));
}

}  // namespace gpuminer::sha256
