// The small files in which Linux offers values (sysfs), each read anew: what they stand for may disappear at any time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace gpuminer {

/// The first line of the file, at most 255 bytes. Where it cannot be read: empty, and errno says why (0: the file is
/// empty).
[[nodiscard]] std::optional<std::string> sysfs_line(const std::filesystem::path& file);

/// The whole number that it is. Where it cannot be read: empty, and errno says why (0: it is no number).
[[nodiscard]] std::optional<std::int64_t> sysfs_number(const std::filesystem::path& file);

}  // namespace gpuminer
