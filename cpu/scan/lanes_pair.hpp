// Two vectors of nonces in place of one, each verb applied to both: twice as much that waits for nothing, for a CPU
// whose ports one vector leaves idle (AMD Zen 5: four ports, two cycles of latency). It needs many registers. In an
// anonymous namespace, as everything that is compiled once per ISA (see scan_function.hpp).
#pragma once

#include <cstdint>

namespace gpuminer::cpu {
namespace {

template <class Half>
struct PairLanes {
    static constexpr std::uint32_t kHalf = Half::kWidth;
    static constexpr std::uint32_t kWidth = 2 * kHalf;
    struct word {
        typename Half::word low, high;
    };

    static word add(word x, word y) { return {Half::add(x.low, y.low), Half::add(x.high, y.high)}; }
    template <int kBits>
    static word rotr(word x) {
        return {Half::template rotr<kBits>(x.low), Half::template rotr<kBits>(x.high)};
    }
    template <int kBits>
    static word shr(word x) {
        return {Half::template shr<kBits>(x.low), Half::template shr<kBits>(x.high)};
    }
    static word xor3(word x, word y, word z) {
        return {Half::xor3(x.low, y.low, z.low), Half::xor3(x.high, y.high, z.high)};
    }
    static word ch(word x, word y, word z) { return {Half::ch(x.low, y.low, z.low), Half::ch(x.high, y.high, z.high)}; }
    static word maj(word x, word y, word z) {
        return {Half::maj(x.low, y.low, z.low), Half::maj(x.high, y.high, z.high)};
    }
    static word splat(std::uint32_t value) { return {Half::splat(value), Half::splat(value)}; }
    static word lane_offsets() {
        return {Half::lane_offsets(), Half::add(Half::lane_offsets(), Half::splat(kHalf << 24))};
    }
    static std::uint32_t zero_lanes(word x, word mask) {
        return Half::zero_lanes(x.low, mask.low) | Half::zero_lanes(x.high, mask.high) << kHalf;
    }
    static void store(std::uint32_t* out, word x) {
        Half::store(out, x.low);
        Half::store(out + kHalf, x.high);
    }
};

}  // namespace
}  // namespace gpuminer::cpu
