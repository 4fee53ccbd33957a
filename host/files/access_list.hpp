// Access control lists of Windows' files: for the user alone, and who else is on one.
#pragma once

#include <filesystem>
#include <string>

#include "host/files/own_file.hpp"

namespace gpuminer {

// What these make is the user's and the system's alone, whatever its folder hands on; on another machine's share it has
// what rights things there get. They fail, with the reason in errno, where something has the name already.

/// A descriptor for reading and appending; -1: it failed.
[[nodiscard]] int make_file_for_user(const std::filesystem::path& path);
[[nodiscard]] bool make_folder_for_user(const std::filesystem::path& folder);

/// Somebody who may read the file, or may give himself the right to, beside its user, the system and administrators:
/// "Everyone". Empty: nobody. Where the file system keeps no such lists, everybody may.
[[nodiscard]] std::string other_reader_of(const File& file);
/// Takes the rights of all others away; no error where the user may not, or the file system keeps none.
void close_to_others(const std::filesystem::path& path);

}  // namespace gpuminer
