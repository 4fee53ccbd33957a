// How urgent a device's thread is to the operating system, as --cpu-priority says.
#pragma once

namespace gpuminer {

inline constexpr unsigned kNormalPriority = 2;
inline constexpr unsigned kHighestPriority = 5;

/// For the calling thread: 0 idle, 1 below normal, 2 normal … 5 highest; above that: highest. Above normal needs a
/// privilege, and a refusal (in a container without it) costs some speed, no correctness. Up to normal it is never
/// raised: whoever started the program at a lower priority still means it.
void set_thread_priority(unsigned priority);

/// The priority of a thread that waits for a GPU and then hands it the next batch, beside CPU threads of
/// `cpu_priority`: it needs very little time, but at once, as the GPU idles until then. So it is never below normal,
/// and above them where they are above normal.
[[nodiscard]] unsigned priority_of_gpu_thread(unsigned cpu_priority);

}  // namespace gpuminer
