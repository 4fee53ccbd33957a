// Limits of hash rates by a CPU's execution ports or a GPU's pipes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/backend.h"

namespace gpuminer::bench {

/// Port operations per hash of the CPU search that cannot be avoided: those of the generated program with one test,
/// divided by the lanes; for "shani" its sha256rnds2 instructions. Empty where no simple limit is known (scalar).
[[nodiscard]] std::optional<double> operations_per_hash(std::string_view isa, unsigned versions);

/// The instruction set of a CPU device by its name: "avx512" of "cpu:avx512#0".
[[nodiscard]] std::string isa_of(const DeviceInfo& info);

}  // namespace gpuminer::bench
