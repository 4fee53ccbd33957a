#include "bench/workloads/process_time.hpp"

#include <windows.h>

namespace gpuminer::bench {

double process_cpu_seconds() {
    FILETIME created{}, ended{}, kernel{}, user{};
    if (GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user) == 0) return 0;
    const auto seconds = [](const FILETIME& time) {
        constexpr double kHigh = 4294967296, kTicks = 1e7;
        return (kHigh * time.dwHighDateTime + time.dwLowDateTime) / kTicks;
    };
    return seconds(kernel) + seconds(user);
}

}  // namespace gpuminer::bench
