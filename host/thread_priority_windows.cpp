#include "host/thread_priority.hpp"

#include <windows.h>

#include <algorithm>
#include <array>

namespace gpuminer {
namespace {

/// None is the idle one, which gets nothing at all beside busy programs: whoever stops the search would wait for ever.
constexpr std::array<int, kHighestPriority + 1> kPriorities = {THREAD_PRIORITY_LOWEST,  THREAD_PRIORITY_BELOW_NORMAL,
                                                               THREAD_PRIORITY_NORMAL,  THREAD_PRIORITY_ABOVE_NORMAL,
                                                               THREAD_PRIORITY_HIGHEST, THREAD_PRIORITY_HIGHEST};

int of(unsigned cpu_priority) { return kPriorities.at(std::min(cpu_priority, kHighestPriority)); }
int priority() { return GetThreadPriority(GetCurrentThread()); }
void set_priority(int value) { (void)SetThreadPriority(GetCurrentThread(), value); }

}  // namespace

void set_cpu_thread_priority(unsigned cpu_priority) {
    set_priority(cpu_priority > kNormalPriority ? of(cpu_priority) : std::min(of(cpu_priority), priority()));
}

void set_gpu_thread_priority(unsigned cpu_priority) {
    if (cpu_priority <= kNormalPriority) return;
    set_priority(std::max(std::min(of(cpu_priority) + 1, THREAD_PRIORITY_HIGHEST), priority()));
}

void set_server_thread_priority() { set_priority(std::min(THREAD_PRIORITY_LOWEST, priority())); }

}  // namespace gpuminer
