// The verbs of schedules over eight 32-bit words in a 256-bit vector: AVX2's, but with AVX-512's rotations and
// three-operand logic (VL). In an anonymous namespace, as everything that is compiled once per ISA (see
// scan_function.hpp).
#pragma once

#include "cpu/scan/lanes_avx2.hpp"

namespace gpuminer::cpu {
namespace {

struct Avx512VlLanes : Avx2Lanes {
    template <int kBits>
    static word rotr(word x) {
        return _mm256_ror_epi32(x, kBits);
    }
    static word xor3(word x, word y, word z) { return _mm256_ternarylogic_epi32(x, y, z, 0xf0 ^ 0xcc ^ 0xaa); }
    static std::uint32_t zero_lanes(word x, word mask) { return _mm256_testn_epi32_mask(x, mask); }
};

}  // namespace
}  // namespace gpuminer::cpu
