// %USERPROFILE%, %APPDATA%\gpuminer for the configuration, %LOCALAPPDATA%\gpuminer for what this machine alone has.
#include <cstdlib>
#include <system_error>
#include <utility>

#include "host/system/folders.hpp"

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> absolute(const wchar_t* variable) {
    const wchar_t* const value = ::_wgetenv(variable);
    if (value == nullptr) return std::nullopt;
    fs::path path(value);
    return path.is_absolute() ? std::optional(std::move(path)) : std::nullopt;
}

std::optional<fs::path> below(const wchar_t* variable, const char* name) {
    auto folder = absolute(variable);
    if (folder) *folder /= name;
    return folder;
}

}  // namespace

std::optional<fs::path> home_folder() { return absolute(L"USERPROFILE"); }
std::optional<fs::path> config_folder() { return below(L"APPDATA", "gpuminer"); }
std::optional<fs::path> state_folder() { return below(L"LOCALAPPDATA", "gpuminer"); }
std::optional<fs::path> cache_folder() { return below(L"LOCALAPPDATA", "gpuminer/cache"); }
/// As Bitcoin Core chooses since version 28: where earlier ones have it, if there is one.
std::optional<fs::path> bitcoin_folder() {
    auto earlier = below(L"APPDATA", "Bitcoin");
    std::error_code ignored;
    return earlier && fs::exists(*earlier, ignored) ? std::move(earlier) : below(L"LOCALAPPDATA", "Bitcoin");
}

}  // namespace gpuminer
