// Time as measurements see it: a clock that never goes back.
#pragma once

#include <chrono>

namespace gpuminer {

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace gpuminer
