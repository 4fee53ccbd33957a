// A hardware thread's number is 64 times that of its processor group, and its place there.
#include "cpu/machine/topology.hpp"

#include <windows.h>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace gpuminer::cpu {
namespace {

constexpr unsigned kGroupSize = 64;

struct HardwareThread {
    unsigned number;
    unsigned place_in_core;  ///< 0 for a core's first
};

void add_threads_of(const PROCESSOR_RELATIONSHIP& core, KAFFINITY allowed_in_first_group,
                    std::vector<HardwareThread>& threads) {
    unsigned place = 0;
    for (WORD i = 0; i < core.GroupCount; ++i) {
        const GROUP_AFFINITY& part = core.GroupMask[i];
        for (unsigned bit = 0; bit < kGroupSize; ++bit) {
            const KAFFINITY mask = KAFFINITY{1} << bit;
            if ((part.Mask & mask) == 0 || (part.Group == 0 && (allowed_in_first_group & mask) == 0)) continue;
            threads.push_back({part.Group * kGroupSize + bit, place++});
        }
    }
}

std::vector<HardwareThread> threads_of_cores() {
    DWORD_PTR ours = 0, machines = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &ours, &machines) == 0 || ours == 0) ours = ~DWORD_PTR{0};
    DWORD size = 0;
    (void)GetLogicalProcessorInformationEx(RelationProcessorCore, nullptr, &size);
    std::vector<std::byte> buffer(size);
    std::vector<HardwareThread> threads;
    const auto record_at = [&buffer](std::size_t at) {
        return reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(buffer.data() + at);
    };
    if (size == 0 || GetLogicalProcessorInformationEx(RelationProcessorCore, record_at(0), &size) == 0) return threads;
    for (std::size_t at = 0; at < size; at += record_at(at)->Size)
        add_threads_of(record_at(at)->Processor, ours, threads);
    return threads;
}

}  // namespace

void set_hwloc_variables() {}  // it is not used here

std::optional<double> cgroup_cpu_limit(const std::filesystem::path& /*root*/) { return std::nullopt; }

std::vector<unsigned> usable_hardware_threads() {
    std::vector<HardwareThread> threads = threads_of_cores();
    std::stable_sort(threads.begin(), threads.end(),
                     [](const auto& x, const auto& y) { return x.place_in_core < y.place_in_core; });
    std::vector<unsigned> numbers;
    for (const HardwareThread& thread : threads) numbers.push_back(thread.number);
    if (numbers.empty()) {  // as many as the standard library counts
        for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) numbers.push_back(i);
    }
    return numbers;
}

unsigned default_thread_count(unsigned hardware_threads, unsigned left_free) {
    return std::max(hardware_threads, left_free + 1) - left_free;
}

bool pin_this_thread(unsigned hardware_thread) {
    GROUP_AFFINITY affinity{};
    affinity.Group = static_cast<WORD>(hardware_thread / kGroupSize);
    affinity.Mask = KAFFINITY{1} << hardware_thread % kGroupSize;
    return SetThreadGroupAffinity(GetCurrentThread(), &affinity, nullptr) != 0;
}

}  // namespace gpuminer::cpu
