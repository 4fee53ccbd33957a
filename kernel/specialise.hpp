// Partial evaluation: from the expression graph of the textbook to the residual program.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/program.hpp"
#include "kernel/word.hpp"

namespace gpuminer::kernel {

/// Eight words at which one stage ends and another begins: `before` exports them, and all that depends on them is of
/// stage `after`.
struct Cut {
    StageName before;
    std::array<std::uint32_t, 8> nodes;
    StageName after;
};

/// `cuts`: in the order in which the words are computed. `results`: the nodes that are asked for; the stage `last`
/// exports them. `share_nonce_stage`: midstates vary by version, so what depends on the nonce alone gets its own stage.
[[nodiscard]] Program specialise(const Graph& graph, const std::vector<Cut>& cuts,
                                 const std::vector<std::uint32_t>& results, StageName last, bool share_nonce_stage);

}  // namespace gpuminer::kernel
