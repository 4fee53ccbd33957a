#include "cpu/machine/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <thread>

#include "cpu/machine/cgroup.hpp"

namespace gpuminer::cpu {
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
