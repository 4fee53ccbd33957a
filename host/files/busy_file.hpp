// Patience with files that others have open for a moment, as virus scanners and indexers of Windows do.
#pragma once

#include <functional>

namespace gpuminer {

/// Windows: whether `attempt` succeeded, which is repeated for two seconds while it fails as it does where somebody has
/// the file open. GetLastError() is that of the last attempt.
[[nodiscard]] bool try_while_busy(const std::function<bool()>& attempt);

}  // namespace gpuminer
