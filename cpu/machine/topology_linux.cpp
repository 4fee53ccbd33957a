#include "cpu/machine/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

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

namespace {

/// This machine's cores and hardware threads, loaded once; the process's cpuset (container) is respected.
class Topology {
public:
    Topology() {
        set_hwloc_variables();
        hwloc_topology_init(&topology_);
        // Nothing but what cannot be left out (and cores): loading then takes a millisecond, not thirty.
        hwloc_topology_set_all_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
        hwloc_topology_set_type_filter(topology_, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
        loaded_ = hwloc_topology_load(topology_) == 0;
    }
    ~Topology() { hwloc_topology_destroy(topology_); }
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;

    [[nodiscard]] bool loaded() const { return loaded_; }
    [[nodiscard]] hwloc_topology_t get() const { return topology_; }

private:
    hwloc_topology_t topology_ = nullptr;
    bool loaded_ = false;
};

const Topology& topology() {
    static const Topology instance;
    return instance;
}

struct FreeBitmap {
    void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

struct HardwareThread {
    unsigned number;
    unsigned place_in_core;  ///< 0 for a core's first
};

}  // namespace

void set_hwloc_variables() {
    setenv("HWLOC_HIDE_ERRORS", "2", 0);           // without /sys (some containers) it would write to standard error
    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 0);  // plugins look for GPUs, and take milliseconds to load
}

std::vector<unsigned> usable_hardware_threads() {
    std::vector<HardwareThread> threads;
    const hwloc_topology_t topo = topology().get();
    const Bitmap bound(hwloc_bitmap_alloc());  // what taskset or a launcher left us
    const bool is_bound = topology().loaded() && hwloc_get_cpubind(topo, bound.get(), HWLOC_CPUBIND_PROCESS) == 0;
    hwloc_obj_t pu = nullptr;
    while (topology().loaded() && (pu = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_PU, pu)) != nullptr) {
        if (!is_bound || hwloc_bitmap_isset(bound.get(), pu->os_index) != 0)
            threads.push_back({pu->os_index, pu->sibling_rank});
    }
    std::stable_sort(threads.begin(), threads.end(),
                     [](const auto& x, const auto& y) { return x.place_in_core < y.place_in_core; });
    std::vector<unsigned> numbers;
    for (const HardwareThread& thread : threads) numbers.push_back(thread.number);
    if (numbers.empty()) {  // no topology to be had: as many as the standard library counts
        for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) numbers.push_back(i);
    }
    return numbers;
}

unsigned default_thread_count(unsigned hardware_threads, unsigned left_free) {
    double available = hardware_threads;
    if (const auto limit = cgroup_cpu_limit()) available = std::min(available, std::ceil(*limit));
    return std::max(static_cast<unsigned>(available), left_free + 1) - left_free;
}

bool pin_this_thread(unsigned hardware_thread) {
    if (!topology().loaded()) return false;
    const Bitmap set(hwloc_bitmap_alloc());
    hwloc_bitmap_only(set.get(), hardware_thread);
    return hwloc_set_cpubind(topology().get(), set.get(), HWLOC_CPUBIND_THREAD) == 0;
}

}  // namespace gpuminer::cpu
