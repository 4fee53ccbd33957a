// What the host takes from the standard library to run and to time threads. The tests' simulator of searches puts
// threads in their place of which one runs at a time, and a clock that is virtual.
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
using Clock = std::chrono::steady_clock;

}  // namespace gpuminer::threads

#endif
