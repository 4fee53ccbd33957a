// Batches of double SHA-256 for every CPU: one input at a time.
#include "cpu/batch/sha256d64_kernels.hpp"
#include "cpu/batch/sha256d64_lanes.hpp"
#include "cpu/scan/lanes_scalar.hpp"

namespace gpuminer::cpu {
namespace {

struct ScalarBatch : ScalarLanes {
    static void load(word (&words)[4], const std::uint8_t* in) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            __builtin_memcpy(&words[i], in + 4 * i, 4);
            words[i] = __builtin_bswap32(words[i]);
        }
    }
    static void store(std::uint8_t* out, const word (&hash)[8]) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) {
            const word bytes = __builtin_bswap32(hash[i]);
            __builtin_memcpy(out + 4 * i, &bytes, 4);
        }
    }
};

}  // namespace

void sha256d64_scalar(std::uint8_t* out, const std::uint8_t* in, std::size_t groups) {
    BatchLanes<ScalarBatch>::run(out, in, groups);
}

}  // namespace gpuminer::cpu
