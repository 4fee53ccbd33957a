#include <cstdlib>

#include "host/system/folders.hpp"

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwn = "gpuminer";

std::optional<fs::path> absolute(const char* variable) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value != '/') return std::nullopt;
    return fs::path(value);
}

std::optional<fs::path> own_folder(const char* variable, const char* below_home) {
    if (const auto folder = absolute(variable)) return *folder / kOwn;
    if (const auto home = home_folder()) return *home / below_home / kOwn;
    return std::nullopt;
}

}  // namespace

std::optional<fs::path> home_folder() { return absolute("HOME"); }
std::optional<fs::path> config_folder() { return own_folder("XDG_CONFIG_HOME", ".config"); }
std::optional<fs::path> state_folder() { return own_folder("XDG_STATE_HOME", ".local/state"); }
std::optional<fs::path> cache_folder() { return own_folder("XDG_CACHE_HOME", ".cache"); }
std::optional<fs::path> bitcoin_folder() {
    const auto home = home_folder();
    return home ? std::optional(*home / ".bitcoin") : std::nullopt;
}

}  // namespace gpuminer
