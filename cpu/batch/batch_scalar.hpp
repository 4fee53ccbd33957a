// Batches on every CPU: one input at a time.
// In an anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <cstdint>

#include "cpu/scan/lanes_scalar.hpp"

namespace gpuminer::cpu {
namespace {

struct ScalarBatch : ScalarLanes {
    template <class Address>
    static void load(word (&words)[4], Address address) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            __builtin_memcpy(&words[i], address(0) + 4 * i, 4);
            words[i] = __builtin_bswap32(words[i]);
        }
    }
    static constexpr int lane_of(int input) { return input; }
    static void store(std::uint8_t* out, const word (&hash)[8]) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) {
            const word bytes = __builtin_bswap32(hash[i]);
            __builtin_memcpy(out + 4 * i, &bytes, 4);
        }
    }
};

}  // namespace
}  // namespace gpuminer::cpu
