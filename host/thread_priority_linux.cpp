#include "host/thread_priority.hpp"

#include <sched.h>
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

/// Started under real-time scheduling (chrt), a worker would keep signals and time limits from being heard on its core.
/// So it takes the next lower real-time priority, or none where there is none or none is to be kept.
void step_back_in_real_time(bool keep) {
    const int policy = sched_getscheduler(0);
    sched_param parameters{};
    if ((policy != SCHED_FIFO && policy != SCHED_RR) || sched_getparam(0, &parameters) != 0) return;
    const int lower = parameters.sched_priority - 1;
    keep = keep && lower >= sched_get_priority_min(policy);
    parameters.sched_priority = keep ? lower : 0;
    (void)sched_setscheduler(0, keep ? policy : SCHED_OTHER, &parameters);
}

}  // namespace

void set_cpu_thread_priority(unsigned cpu_priority) {
    step_back_in_real_time(cpu_priority > kNormalPriority);
    const int wanted = kNiceValues[std::min(cpu_priority, kHighestPriority)];
    set_nice_value(cpu_priority > kNormalPriority ? wanted : std::max(wanted, nice_value()));
}

void set_gpu_thread_priority(unsigned cpu_priority) {
    if (cpu_priority <= kNormalPriority) return;
    const int wanted = kNiceValues[std::min(cpu_priority, kHighestPriority)] - kAboveCpuThreads;
    set_nice_value(std::min(wanted, nice_value()));
}

void set_server_thread_priority() {
    constexpr int kBelowMiners = 15;
    set_nice_value(std::max(nice_value(), kBelowMiners));
}

}  // namespace gpuminer
