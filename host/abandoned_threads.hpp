// Threads that sit in a driver when their owner ends are left there. The process then has to end without running the
// destructors of libraries beside them.
#pragma once

#include <atomic>

namespace gpuminer {

namespace detail {
inline std::atomic<bool> thread_abandoned = false;
}

/// From now on this process ends by _exit().
inline void note_abandoned_thread() { detail::thread_abandoned = true; }
[[nodiscard]] inline bool any_abandoned_threads() { return detail::thread_abandoned; }

}  // namespace gpuminer
