// Batches with AVX-512: sixteen inputs per 512-bit vector. Lane 4q+i is input 8·(q/2) + 2i + q%2: then the hashes of
// two neighbours come out of the transposition side by side and fill a vector, which saves 16 shuffles of a half each.
// In an anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <cstdint>

#include "cpu/batch/batch_lanes.hpp"
#include "cpu/scan/lanes_avx512.hpp"

namespace gpuminer::cpu {
namespace {

struct Avx512Batch : Avx512Lanes {
    static word low32(word x, word y) { return _mm512_unpacklo_epi32(x, y); }
    static word high32(word x, word y) { return _mm512_unpackhi_epi32(x, y); }
    static word low64(word x, word y) { return _mm512_unpacklo_epi64(x, y); }
    static word high64(word x, word y) { return _mm512_unpackhi_epi64(x, y); }
    static word swap_bytes(word x) {
        return _mm512_shuffle_epi8(
            x, _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)));
    }

    static __m128i sixteen_bytes(const std::uint8_t* bytes) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    }

    template <class Address>
    static void load(word (&words)[4], Address address) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            word row = _mm512_castsi128_si512(sixteen_bytes(address(2 * i)));
            row = _mm512_inserti32x4(row, sixteen_bytes(address(2 * i + 1)), 1);
            row = _mm512_inserti32x4(row, sixteen_bytes(address(8 + 2 * i)), 2);
            row = _mm512_inserti32x4(row, sixteen_bytes(address(9 + 2 * i)), 3);
            words[i] = swap_bytes(row);
        }
        transpose4<Avx512Batch>(words);
    }
    static constexpr int lane_of(int input) { return 8 * (input / 8) + 4 * (input % 2) + input % 8 / 2; }
    static void store(std::uint8_t* out, const word (&hash)[8]) {
        word halves[2][4];  // [h][i]: words 4h … 4h+3 of the hashes of lanes i, 4+i, 8+i and 12+i
#pragma GCC unroll 2
        for (int h = 0; h < 2; ++h) {
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i) halves[h][i] = swap_bytes(hash[4 * h + i]);
            transpose4<Avx512Batch>(halves[h]);
        }
        const word first_two = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
        const word last_two = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            _mm512_storeu_si512(out + 64 * i, _mm512_permutex2var_epi64(halves[0][i], first_two, halves[1][i]));
            _mm512_storeu_si512(out + 64 * (4 + i), _mm512_permutex2var_epi64(halves[0][i], last_two, halves[1][i]));
        }
    }
};

}  // namespace
}  // namespace gpuminer::cpu
