// Reasons of failed calls of Windows, as errno has them.
#pragma once

namespace gpuminer {

/// For what GetLastError() says.
[[nodiscard]] int errno_of_last_error();

}  // namespace gpuminer
