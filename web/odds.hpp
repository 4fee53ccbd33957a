// A miner's odds: average time for a share and for a block, and the chance of a block.
#pragma once

#include <optional>
#include <string>

namespace gpuminer::web {

struct Odds {
    std::optional<double> share_seconds;  ///< until the next share, on average; empty: no share difficulty is known
    std::optional<double> block_seconds;  ///< until the next block, on average; empty: no network difficulty is known
    double block_per_day = 0;             ///< chance of at least one block within a day, 0 to 1
    double block_per_year = 0;            ///< within 365.25 days
    std::string warning;                  ///< of shares, of blocks, or of both ("…; …"); empty: nothing to warn of
};

/// `hash_rate`: hashes per second; of 0 nothing can be said, and all fields are empty. `share_difficulty`: 0: there are
/// no shares. Hits come independently of each other, so that waiting times are exponentially distributed.
[[nodiscard]] Odds odds_of(double hash_rate, double share_difficulty, double network_difficulty);

/// "a share every 7.6 s; a block every 3.2 million years, 0.0000000863 % chance within a day"; empty: nothing is known.
[[nodiscard]] std::string odds_text(const Odds& odds);

}  // namespace gpuminer::web
