// Points in time of a clock that never goes back, and the clock itself where it is passed in.
#pragma once

#include <chrono>
#include <functional>

namespace gpuminer::net {

using SteadyTime = std::chrono::steady_clock::time_point;
using SteadyClock = std::function<SteadyTime()>;

[[nodiscard]] inline SteadyTime steady_now() { return std::chrono::steady_clock::now(); }

}  // namespace gpuminer::net
