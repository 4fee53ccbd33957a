#include "host/thread_priority.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace gpuminer {
namespace {

constexpr std::array<int, kHighestPriority + 1> kNiceValues = {19, 10, 0, -5, -10, -15};

}  // namespace

void set_thread_priority(unsigned priority) {
    const auto thread = static_cast<id_t>(gettid());
    int nice = kNiceValues[std::min(priority, kHighestPriority)];
    if (priority <= kNormalPriority) nice = std::max(getpriority(PRIO_PROCESS, thread), nice);
    (void)setpriority(PRIO_PROCESS, thread, nice);
}

unsigned priority_of_gpu_thread(unsigned cpu_priority) {
    return cpu_priority <= kNormalPriority ? kNormalPriority : std::min(cpu_priority + 1, kHighestPriority);
}

}  // namespace gpuminer
