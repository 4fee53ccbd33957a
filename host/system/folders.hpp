// The user's folders, by the XDG Base Directory Specification: variables that name no absolute path are ignored.
#pragma once

#include <filesystem>
#include <optional>

namespace gpuminer {

/// $HOME. Empty, as all below: the environment names none.
[[nodiscard]] std::optional<std::filesystem::path> home_folder();
/// $XDG_CONFIG_HOME/gpuminer, or ~/.config/gpuminer
[[nodiscard]] std::optional<std::filesystem::path> config_folder();
/// $XDG_STATE_HOME/gpuminer, or ~/.local/state/gpuminer
[[nodiscard]] std::optional<std::filesystem::path> state_folder();
/// $XDG_CACHE_HOME/gpuminer, or ~/.cache/gpuminer
[[nodiscard]] std::optional<std::filesystem::path> cache_folder();
/// Bitcoin Core's data folder, where it is by default: ~/.bitcoin
[[nodiscard]] std::optional<std::filesystem::path> bitcoin_folder();

}  // namespace gpuminer
