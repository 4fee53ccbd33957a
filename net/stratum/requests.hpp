// Parameters of the requests to a pool (but for mining.submit, which differs between dialects).
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::net {

/// Of mining.configure (BIP 310): version rolling with BIP 320's bits, and a minimum difficulty where `difficulty` is
/// at least 1.
[[nodiscard]] nlohmann::json configure_params(std::optional<double> difficulty);
/// Of mining.subscribe. `session`: to be resumed; empty: a new one.
[[nodiscard]] nlohmann::json subscribe_params(const std::string& agent, const std::string& session);
/// Of mining.suggest_difficulty.
[[nodiscard]] nlohmann::json suggest_difficulty_params(double difficulty);

}  // namespace gpuminer::net
