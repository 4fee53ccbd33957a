// Hardware threads and CPU time that this process may use, and binding a thread to one (hwloc).
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace gpuminer::cpu {

/// Sets the variables that hwloc is to find in the environment. Before the first thread that opens a driver: a new
/// variable moves the environment, which drivers read (and PoCL, which sets one of these, too, finds it there).
void set_hwloc_variables();

/// Operating-system numbers of the hardware threads this process may run on, one of each core before the
/// second ones (hyper-threads share a core's ports: the second adds little).
[[nodiscard]] std::vector<unsigned> usable_hardware_threads();

/// CPU time limits of control groups (containers): CPUs' worth of time (quota / period) that the tightest of this
/// process's control groups grants, v1 or v2; nothing where there is no limit. `root` is "/" except in tests.
[[nodiscard]] std::optional<double> cgroup_cpu_limit(const std::filesystem::path& root = "/");

/// CPU threads to use unless the user says otherwise: all but `left_free`, within the container's CPU time limit, at
/// least one.
[[nodiscard]] unsigned default_thread_count(unsigned hardware_threads, unsigned left_free = 1);

/// Binds the calling thread; false if the system refuses.
bool pin_this_thread(unsigned hardware_thread);

}  // namespace gpuminer::cpu
