#include "host/thread_priority.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace gpuminer {
namespace {

constexpr std::array<int, kHighestPriority + 1> kNiceValues = {19, 10, 0, -5, -10, -15};
/// As far as one priority is above the other.
constexpr int kAboveCpuThreads = 5;

int nice_value() { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); }
void set_nice_value(int value) { (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), value); }

}  // namespace

void set_cpu_thread_priority(unsigned cpu_priority) {
    const int wanted = kNiceValues[std::min(cpu_priority, kHighestPriority)];
    set_nice_value(cpu_priority > kNormalPriority ? wanted : std::max(wanted, nice_value()));
}

void set_gpu_thread_priority(unsigned cpu_priority) {
    if (cpu_priority <= kNormalPriority) return;
    const int wanted = kNiceValues[std::min(cpu_priority, kHighestPriority)] - kAboveCpuThreads;
    set_nice_value(std::min(wanted, nice_value()));
}

}  // namespace gpuminer
