// The token's file as the system protects files from other users.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace gpuminer::web {

/// Characters of a token.
inline constexpr std::size_t kLongestToken = 1024;

// Throw InputError:
/// Its beginning; empty: there is no such file. `for_root`: root reads that of the user in whose folder it is; else
/// root, too, trusts its own files alone.
[[nodiscard]] std::optional<std::string> read_token_file(const std::filesystem::path& path, bool for_root);
/// Whole or not at all: half a token would be refused at every later start.
void make_token_file(const std::filesystem::path& path, const std::string& text);

}  // namespace gpuminer::web
