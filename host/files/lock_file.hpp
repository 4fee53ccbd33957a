// Locks for files that are closed and renamed on Windows: a file beside them that nobody else can open.
#pragma once

#include <filesystem>

#include "host/files/own_file.hpp"

namespace gpuminer {

/// PATH.lock, made. Closing it deletes it, as the end of its process does. Not open: another process has it. Throws
/// InputError, also where PATH.lock has content, as it is not ours then; `what` it is whose lock this is, for messages.
[[nodiscard]] File take_lock_file(const std::filesystem::path& path, const char* what);

}  // namespace gpuminer
