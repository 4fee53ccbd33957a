// The interface between the per-ISA code and the rest of the CPU backend. What they pass is plain data: a file compiled
// with its own -m flags must not instantiate anything that another file might share (the linker keeps one
// copy of an inline function, and it may be the one with instructions this CPU does not have).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/scan_types.hpp"

namespace gpuminer::cpu {

struct ScanArguments {
    // The job, as Sha256dJob holds it.
    const std::uint32_t* midstates;  ///< 8 words per version
    const std::uint32_t* tail;       ///< 3 words
    const std::uint32_t* job_words;
    const std::uint32_t* version_words;  ///< `version_stride` words per version
    std::size_t version_stride;
    std::uint32_t versions;  ///< 1: the fixed-header program
    std::uint32_t target_top;
    std::uint32_t sieve_mask;  ///< bits of h7 that a candidate has zero

    std::uint32_t first_nonce;
    std::uint64_t count;  ///< at least 1; first_nonce + count <= 2^32

    Candidate* candidates;
    std::size_t capacity;
    std::size_t found;       ///< counts on beyond `capacity`: that many there were
    const char* scanned_by;  ///< the function writes its ISA's name here: proof of which one ran
};

using ScanFunction = void (*)(ScanArguments&);

// One per form of an ISA (isa_list.inc), each in a file of its own. Callable only where the CPU has the ISA.
#define GPUMINER_SEARCH(isa, function, ...) void function(ScanArguments& arguments);
#include "cpu/isa_list.inc"

}  // namespace gpuminer::cpu
