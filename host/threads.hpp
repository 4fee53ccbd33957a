// The host's threads and clock, from the standard library. The tests' simulator of searches replaces them by threads
// that run one at a time, and a virtual clock.
#pragma once

#ifdef GPUMINER_SIMULATED_THREADS
#include "tests/simulation/threads.hpp"
#else

#include <chrono>
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
