// Sentences about a pool's job for the user.
#pragma once

#include <optional>
#include <string>

#include "net/stratum_job.hpp"

namespace gpuminer::net {

/// Seconds per share that are to be expected; empty: the rate is not known.
[[nodiscard]] std::optional<double> share_seconds(const StratumJob& job, double hash_rate);
/// "difficulty 0.07, a share every 7.6 s at 39.80 MH/s"
[[nodiscard]] std::string difficulty_text(const StratumJob& job, double hash_rate);
/// Where shares are more than an hour apart: what that means and what to do about it; else empty.
[[nodiscard]] std::string long_wait_text(const StratumJob& job, double hash_rate);
/// Where the user name (up to the first '.') is an address: whether the coinbase pays it; else empty.
[[nodiscard]] std::string payment_text(const StratumJob& job, const std::string& user);

}  // namespace gpuminer::net
