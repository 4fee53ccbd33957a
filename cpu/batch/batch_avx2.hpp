// Batches with AVX2: eight inputs per 256-bit vector. Lane i is input i, so that the low half holds inputs 0…3 and the
// high half 4…7. In an anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <cstdint>

#include "cpu/batch/batch_lanes.hpp"
#include "cpu/scan/lanes_avx2.hpp"

namespace gpuminer::cpu {
namespace {

struct Avx2Batch : Avx2Lanes {
    static word low32(word x, word y) { return _mm256_unpacklo_epi32(x, y); }
    static word high32(word x, word y) { return _mm256_unpackhi_epi32(x, y); }
    static word low64(word x, word y) { return _mm256_unpacklo_epi64(x, y); }
    static word high64(word x, word y) { return _mm256_unpackhi_epi64(x, y); }
    static word swap_bytes(word x) {
        return _mm256_shuffle_epi8(x, _mm256_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,  //
                                                       3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    }
    static __m128i sixteen_bytes(const std::uint8_t* bytes) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    }

    template <class Address>
    static void load(word (&words)[4], Address address) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            const word row = _mm256_castsi128_si256(sixteen_bytes(address(i)));
            words[i] = swap_bytes(_mm256_inserti128_si256(row, sixteen_bytes(address(4 + i)), 1));
        }
        transpose4<Avx2Batch>(words);
    }
    static constexpr int lane_of(int input) { return input; }
    static void store(std::uint8_t* out, const word (&hash)[8]) {
#pragma GCC unroll 2
        for (int part = 0; part < 2; ++part) {
            word rows[4];
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i) rows[i] = swap_bytes(hash[4 * part + i]);
            transpose4<Avx2Batch>(rows);
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i) {
                std::uint8_t* const bytes = out + 32 * i + 16 * part;
                _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), _mm256_castsi256_si128(rows[i]));
                _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes + 32 * 4), _mm256_extracti128_si256(rows[i], 1));
            }
        }
    }
};

}  // namespace
}  // namespace gpuminer::cpu
