// Abandoned threads: blocked in a driver when their owner ends, and detached. The process then has to end without
// running the destructors of libraries, which such a thread may still use.
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
