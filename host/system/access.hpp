// Rights of this process to files.
#pragma once

#include <filesystem>
#include <system_error>

namespace gpuminer {

enum class FileAccess { kRead, kReadAndWrite };
/// Why this process may not do that with the file (there is none, no right, …); no error: it may.
[[nodiscard]] std::error_code access_error(const std::filesystem::path& path, FileAccess wanted);

}  // namespace gpuminer
