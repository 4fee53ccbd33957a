// Batches with NEON: four inputs per vector; lane i is input i.
// In an anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <cstdint>

#include "cpu/batch/batch_lanes.hpp"
#include "cpu/scan/lanes_neon.hpp"

namespace gpuminer::cpu {
namespace {

struct NeonBatch : NeonLanes {
    static word low32(word x, word y) { return vzip1q_u32(x, y); }
    static word high32(word x, word y) { return vzip2q_u32(x, y); }
    static word low64(word x, word y) {
        return vreinterpretq_u32_u64(vzip1q_u64(vreinterpretq_u64_u32(x), vreinterpretq_u64_u32(y)));
    }
    static word high64(word x, word y) {
        return vreinterpretq_u32_u64(vzip2q_u64(vreinterpretq_u64_u32(x), vreinterpretq_u64_u32(y)));
    }
    static uint8x16_t swap_bytes(uint8x16_t x) { return vrev32q_u8(x); }

    template <class Address>
    static void load(word (&words)[4], Address address) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) words[i] = vreinterpretq_u32_u8(swap_bytes(vld1q_u8(address(i))));
        transpose4<NeonBatch>(words);
    }
    static constexpr int lane_of(int input) { return input; }
    static void store(std::uint8_t* out, const word (&hash)[8]) {
#pragma GCC unroll 2
        for (int part = 0; part < 2; ++part) {
            word rows[4] = {hash[4 * part], hash[4 * part + 1], hash[4 * part + 2], hash[4 * part + 3]};
            transpose4<NeonBatch>(rows);
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i) vst1q_u8(out + 32 * i + 16 * part, swap_bytes(vreinterpretq_u8_u32(rows[i])));
        }
    }
};

}  // namespace
}  // namespace gpuminer::cpu
