// Operating-system priorities of threads: of devices (--cpu-priority) and of servers.
#pragma once

namespace gpuminer {

inline constexpr unsigned kNormalPriority = 2;
inline constexpr unsigned kHighestPriority = 5;

// All are for the calling thread. Above normal needs a privilege; a refusal (in a container without it) costs some
// speed, no correctness.

/// A CPU thread's: 0 idle, 1 below normal, 2 normal … 5 highest, as is everything above. Up to normal it is never
/// raised: whoever started the program at a lower priority still means it. Under real-time scheduling (chrt) it steps
/// back, above normal by one priority, else out of it.
void set_cpu_thread_priority(unsigned cpu_priority);

/// That of a thread that waits for a GPU and then hands it the next batch, beside CPU threads of `cpu_priority`: it
/// needs very little time, but at once, as the GPU idles until then. Above them where they are above normal, else as it
/// was; never lowered.
void set_gpu_thread_priority(unsigned cpu_priority);

/// Of one that answers requests: below those who send shares and those who hash (10), but not the lowest of all (19),
/// where nobody is answered for minutes on a machine that compiles.
void set_server_thread_priority();

}  // namespace gpuminer
