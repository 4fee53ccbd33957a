#include "cpu/machine/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace gpuminer::cpu {
namespace {

namespace fs = std::filesystem;

void tighten(std::optional<double>& limit, double quota, double period) {
    if (quota > 0 && period > 0) limit = std::min(limit.value_or(quota / period), quota / period);
}

/// v2: "max 100000" or "150000 100000" (Linux, Documentation/admin-guide/cgroup-v2.rst, cpu.max).
void read_v2(const fs::path& group, std::optional<double>& limit) {
    double quota = 0, period = 0;
    if (std::ifstream(group / "cpu.max") >> quota >> period) tighten(limit, quota, period);
}

/// v1: two files; a quota of -1 means none.
void read_v1(const fs::path& group, std::optional<double>& limit) {
    double quota = 0, period = 0;
    if (std::ifstream(group / "cpu.cfs_quota_us") >> quota && std::ifstream(group / "cpu.cfs_period_us") >> period) {
        tighten(limit, quota, period);
    }
}

/// Calls `read` for the group and every group above it. The group's path may not exist below `mount`: a
/// container sees its own group at the top.
template <class Read>
void read_upwards(const fs::path& mount, fs::path group, Read read) {
    for (;; group = group.parent_path()) {
        read(mount / group.relative_path());
        if (!group.has_relative_path()) return;
    }
}

}  // namespace

std::optional<double> cgroup_cpu_limit(const fs::path& root) {
    std::optional<double> limit;
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {  // "0::/path" (v2) or "4:cpu,cpuacct:/path" (v1)
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
        const fs::path path = line.substr(second + 1);
        if (controllers == ",,") {
            read_upwards(root / "sys/fs/cgroup", path, [&](const fs::path& group) { read_v2(group, limit); });
        } else if (controllers.find(",cpu,") != std::string::npos) {
            read_upwards(root / "sys/fs/cgroup/cpu", path, [&](const fs::path& group) { read_v1(group, limit); });
        }
    }
    return limit;
}

}  // namespace gpuminer::cpu
