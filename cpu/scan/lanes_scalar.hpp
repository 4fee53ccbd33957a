// The verbs over one word, for every CPU. In an anonymous namespace, as everything that is compiled once per ISA (see
// scan_function.hpp).
#pragma once

#include <cstdint>

namespace gpuminer::cpu {
namespace {

struct ScalarLanes {
    using word = std::uint32_t;
    static constexpr std::uint32_t kWidth = 1;

    static word add(word x, word y) { return x + y; }
    template <int kBits>
    static word rotr(word x) {
        return x >> kBits | x << (32 - kBits);
    }
    template <int kBits>
    static word shr(word x) {
        return x >> kBits;
    }
    static word xor3(word x, word y, word z) { return x ^ y ^ z; }
    static word ch(word x, word y, word z) { return z ^ (x & (y ^ z)); }
    static word maj(word x, word y, word z) { return y ^ ((x ^ y) & (y ^ z)); }  // y ^ z was x ^ y one round ago
    static word splat(std::uint32_t value) { return value; }
    static word lane_offsets() { return 0; }
    static std::uint32_t zero_lanes(word x, word mask) { return (x & mask) == 0 ? 1 : 0; }
    static void store(std::uint32_t* out, word x) { *out = x; }
};

}  // namespace
}  // namespace gpuminer::cpu
