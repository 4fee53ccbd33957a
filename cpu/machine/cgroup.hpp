// CPU time limits of control groups (containers).
#pragma once

#include <filesystem>
#include <optional>

namespace gpuminer::cpu {

/// CPUs' worth of time (quota / period) that the tightest of this process's control groups grants, v1 or v2;
/// nothing where there is no limit. `root` is "/" except in tests.
[[nodiscard]] std::optional<double> cgroup_cpu_limit(const std::filesystem::path& root = "/");

}  // namespace gpuminer::cpu
