// Sums of the shares that get no journal entries of their own.
#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::net {

/// Of one pool, since they were last written.
struct ShareSums {
    std::uint64_t shares = 0;  ///< found
    std::uint64_t accepted = 0, refused = 0;
    std::uint64_t dropped = 0;  ///< not sent, or given up
    double accepted_difficulty = 0;

    [[nodiscard]] bool empty() const { return shares + accepted + refused + dropped == 0; }
    /// The journal's entry, event "shares", without pool, user and time.
    [[nodiscard]] nlohmann::json entry() const;
};

}  // namespace gpuminer::net
