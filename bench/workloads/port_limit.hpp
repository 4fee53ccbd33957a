// Limits of the CPU kernels: the minimum of operations on the execution ports.
#pragma once

#include <optional>
#include <string_view>

#include "cpu/batch/sha256d64_kernels.hpp"

namespace gpuminer::bench {

/// Port operations per hash of the CPU search that cannot be avoided: those of the generated program with one test,
/// divided by the lanes; of SHA units the instructions for rounds. Empty where no simple limit is known (scalar).
[[nodiscard]] std::optional<double> operations_per_hash(std::string_view isa, unsigned versions);

/// The same per 64-byte input of a kernel of sha256d64().
[[nodiscard]] std::optional<double> operations_per_input(const cpu::BatchKernel& kernel);

}  // namespace gpuminer::bench
