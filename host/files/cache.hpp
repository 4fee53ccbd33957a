// The cache on disk: compiled kernels, tuning results, timings. Losing a file costs time, nothing else.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gpuminer {

/// $XDG_CACHE_HOME/gpuminer (or ~/.cache/gpuminer)/NAME, where NAME is made of `kind`, and a hash of all of `key`:
/// whatever the content depends on (device, driver, program text). Nothing: there is no such folder (HOME unset, …).
[[nodiscard]] std::optional<std::filesystem::path> cache_file(std::string_view kind, std::string_view key);

/// The content of a cache file, whose first line must be `key`, so that a collision or a stray file is never mistaken
/// for it; nothing where it is not there or not whole, and where another user can have written it
/// (open_private_file()).
[[nodiscard]] std::optional<std::string> read_cache(std::string_view kind, std::string_view key);
/// Written beside and renamed: readers never see half a file. Failing is fine, and so is a folder of another user: then
/// nothing is written.
void write_cache(std::string_view kind, std::string_view key, std::string_view content);

}  // namespace gpuminer
