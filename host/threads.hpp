// The host's threads and clock, from the standard library. The tests' simulator of searches replaces them by threads
// that run one at a time, and a virtual clock.
#pragma once

#include <chrono>

#ifdef GPUMINER_SIMULATED_THREADS
#include "tests/simulation/threads.hpp"
#else

#include <condition_variable>
#include <mutex>
#include <thread>

namespace gpuminer::threads {

using Mutex = std::mutex;
using Condition = std::condition_variable_any;  // std::condition_variable knows neither gpuminer::Mutex nor stop tokens
using Thread = std::thread;
using JoiningThread = std::jthread;
using Clock = std::chrono::steady_clock;

}  // namespace gpuminer::threads

#endif

namespace gpuminer {

/// By a clock that never goes back.
[[nodiscard]] inline double seconds_since(threads::Clock::time_point start) {
    return std::chrono::duration<double>(threads::Clock::now() - start).count();
}

}  // namespace gpuminer
