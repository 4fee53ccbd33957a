// Probe of the operations per second that this core's execution ports take at the current clock.
#pragma once

#include <string_view>

namespace gpuminer::bench {

struct PortProbe {
    const char* isa;
    const char* operations;         ///< what is counted
    void (*run)(long repetitions);  ///< kOperations independent operations each time
};
inline constexpr int kProbeOperations = 32;  ///< per repetition

/// The probe for an ISA; null where no simple limit is known (scalar).
[[nodiscard]] const PortProbe* port_probe(std::string_view isa);

/// Operations per second: the fastest of three short runs (some 60 µs together).
[[nodiscard]] double port_rate(const PortProbe& probe);

}  // namespace gpuminer::bench
