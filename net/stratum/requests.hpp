// Parameters of the requests to a pool.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "net/stratum/share.hpp"

namespace gpuminer::net {

/// Of mining.configure (BIP 310): version rolling with BIP 320's bits, and a minimum difficulty where `difficulty` is
/// at least 1.
[[nodiscard]] nlohmann::json configure_params(std::optional<double> difficulty);
/// Of mining.subscribe. `session`: to be resumed; empty: a new one.
[[nodiscard]] nlohmann::json subscribe_params(const std::string& agent, const std::string& session);
/// Of mining.suggest_difficulty.
[[nodiscard]] nlohmann::json suggest_difficulty_params(double difficulty);
/// Of mining.submit. `version_rolling`: the pool granted it, and wants the bits of every share, even where there are
/// none.
[[nodiscard]] nlohmann::json submit_params(const std::string& user, const StratumShare& share, bool version_rolling);

}  // namespace gpuminer::net
