// Batches with SSE4.1: four inputs per 128-bit vector; lane i is input i.
// In an anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <cstdint>

#include "cpu/batch/batch_lanes.hpp"
#include "cpu/scan/lanes_sse41.hpp"

namespace gpuminer::cpu {
namespace {

struct Sse41Batch : Sse41Lanes {
    static word low32(word x, word y) { return _mm_unpacklo_epi32(x, y); }
    static word high32(word x, word y) { return _mm_unpackhi_epi32(x, y); }
    static word low64(word x, word y) { return _mm_unpacklo_epi64(x, y); }
    static word high64(word x, word y) { return _mm_unpackhi_epi64(x, y); }
    static word swap_bytes(word x) {
        return _mm_shuffle_epi8(x, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    }

    template <class Address>
    static void load(word (&words)[4], Address address) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) words[i] = swap_bytes(_mm_loadu_si128(reinterpret_cast<const word*>(address(i))));
        transpose4<Sse41Batch>(words);
    }
    static constexpr int lane_of(int input) { return input; }
    static void store(std::uint8_t* out, const word (&hash)[8]) {
#pragma GCC unroll 2
        for (int part = 0; part < 2; ++part) {
            word rows[4];
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i) rows[i] = swap_bytes(hash[4 * part + i]);
            transpose4<Sse41Batch>(rows);
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i) _mm_storeu_si128(reinterpret_cast<word*>(out + 32 * i + 16 * part), rows[i]);
        }
    }
};

}  // namespace
}  // namespace gpuminer::cpu
