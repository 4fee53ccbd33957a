// The verbs over four 32-bit words in a NEON vector. No rotate: a shift, and one that inserts what it shifts; but a
// select (BSL), which is `ch`, and with one more instruction `maj`. In an anonymous namespace, as everything that is
// compiled once per ISA (see scan_function.hpp).
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace gpuminer::cpu {
namespace {

struct NeonLanes {
    using word = uint32x4_t;
    static constexpr std::uint32_t kWidth = 4;

    static word add(word x, word y) { return vaddq_u32(x, y); }
    template <int kBits>
    static word rotr(word x) {
        return vsliq_n_u32(vshrq_n_u32(x, kBits), x, 32 - kBits);
    }
    template <int kBits>
    static word shr(word x) {
        return vshrq_n_u32(x, kBits);
    }
    static word xor3(word x, word y, word z) { return veorq_u32(veorq_u32(x, y), z); }
    static word ch(word x, word y, word z) { return vbslq_u32(x, y, z); }
    static word maj(word x, word y, word z) { return vbslq_u32(veorq_u32(x, y), z, y); }
    static word splat(std::uint32_t value) { return vdupq_n_u32(value); }
    static word lane_offsets() { return word{0, 1 << 24, 2 << 24, 3 << 24}; }
    static std::uint32_t zero_lanes(word x, word mask) {
        return vaddvq_u32(vandq_u32(vceqzq_u32(vandq_u32(x, mask)), word{1, 2, 4, 8}));
    }
    static void store(std::uint32_t* out, word x) { vst1q_u32(out, x); }
};

}  // namespace
}  // namespace gpuminer::cpu
