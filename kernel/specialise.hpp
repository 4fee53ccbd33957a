// Partial evaluation: from the expression graph of the textbook to the residual program.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/program.hpp"
#include "kernel/word.hpp"

namespace gpuminer::kernel {

/// `digest`: nodes of the first digest's words; `h7`: node of the second digest's last word.
/// `share_nonce_stage`: midstates vary by version, so what depends on the nonce alone gets its own stage.
[[nodiscard]] Program specialise(const Graph& graph, const std::array<std::uint32_t, 8>& digest, std::uint32_t h7,
                                 bool share_nonce_stage);

}  // namespace gpuminer::kernel
