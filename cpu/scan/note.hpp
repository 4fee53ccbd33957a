// The recording of candidates by the per-ISA files. In an anonymous namespace, as everything that is compiled once per
// ISA (see scan_function.hpp).
#pragma once

#include <cstdint>

#include "cpu/scan/scan_function.hpp"

namespace gpuminer::cpu {
namespace {

/// Notes a nonce whose digest passes, if it lies in the range.
inline void note(ScanArguments& args, std::uint32_t version_index, std::uint32_t nonce, std::uint32_t h7) {
    // Below first_nonce the difference wraps round and is larger than any count.
    if (std::uint64_t{nonce - args.first_nonce} >= args.count || !passes_top_word(h7, args.target_top)) return;
    if (args.found < args.capacity) {
        args.candidates[args.found].version_index = version_index;
        args.candidates[args.found].nonce = nonce;
    }
    ++args.found;
}

}  // namespace
}  // namespace gpuminer::cpu
