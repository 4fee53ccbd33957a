// The parts of os_primitives.hpp that each system has its own calls for.
#pragma once

#include <cstdio>
#include <filesystem>
#include <stop_token>

namespace gpuminer::bench {

/// Throws Interrupted once it is stopped.
void go_on(const std::stop_token& stop);

/// Its path: "gpuminer-bench-…" in that folder. Throws InputError.
[[nodiscard]] std::filesystem::path new_folder_in(const std::filesystem::path& parent);

// Paths as the system takes them: nothing but its own work is timed.
[[nodiscard]] std::FILE* new_file(const std::filesystem::path::value_type* path);
void delete_file(const std::filesystem::path::value_type* path);
void delete_folder(const std::filesystem::path::value_type* path);

}  // namespace gpuminer::bench
