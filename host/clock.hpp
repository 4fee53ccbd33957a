// Time as measurements see it: a clock that never goes back.
#pragma once

#include <chrono>

#include "host/threads.hpp"

namespace gpuminer {

[[nodiscard]] inline double seconds_since(threads::Clock::time_point start) {
    return std::chrono::duration<double>(threads::Clock::now() - start).count();
}

}  // namespace gpuminer
