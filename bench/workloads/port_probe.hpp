// Probes of the execution ports: the highest rate of operations on this core right now, the measure for a kernel's
// share.
#pragma once

#include <span>
#include <string_view>

namespace gpuminer::bench {

struct PortProbe {
    const char* isa;
    const char* operations;         ///< what is counted
    void (*run)(long repetitions);  ///< kOperations independent operations each time
};
inline constexpr int kProbeOperations = 32;  ///< per repetition

/// Those of this architecture (port_probe_ARCHITECTURE.cpp): independent operations in a mix like the kernel's, of
/// which about three in eight are rotations or shifts (which fewer ports can do), the others additions and logic.
/// Nothing waits for anything, nothing touches memory, so each runs at the rate at which the execution ports take
/// operations. Callable only where the CPU has the ISA.
[[nodiscard]] std::span<const PortProbe> port_probes();

/// The probe for an ISA; null where no simple limit is known (scalar).
[[nodiscard]] const PortProbe* port_probe(std::string_view isa);

/// Operations per second: the fastest of three short runs (some 60 µs together).
[[nodiscard]] double port_rate(const PortProbe& probe);

}  // namespace gpuminer::bench
