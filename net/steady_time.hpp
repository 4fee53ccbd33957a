// Points in time of a clock that never goes back, that clock itself where it is passed in, and the time of day.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace gpuminer::net {

using SteadyTime = std::chrono::steady_clock::time_point;
using SteadyClock = std::function<SteadyTime()>;

[[nodiscard]] SteadyTime steady_now();
/// Since 1970.
[[nodiscard]] std::int64_t unix_milliseconds();

}  // namespace gpuminer::net
