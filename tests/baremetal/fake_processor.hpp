// Settings of the processor that tests play (fake_processor.cpp).
#pragma once

#include <cstdint>

namespace gpuminer::baremetal {

/// Thrown in place of never coming back.
struct ProcessorHangs {};

inline bool processor_hangs = false;                ///< the next that enables its vector registers does
inline std::uint64_t processor_hz = 2'000'000'000;  ///< as cpuid states it

}  // namespace gpuminer::baremetal
