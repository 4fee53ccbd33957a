// Names of files as text.
#pragma once

#include <filesystem>
#include <string>

namespace gpuminer {

/// In UTF-8 on every system. (path::string() is for ASCII on Windows: cli/utf8_library_windows.cpp.)
[[nodiscard]] inline std::string path_text(const std::filesystem::path& path) {
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

}  // namespace gpuminer
