#include "cpu/tsc.hpp"

#include <chrono>
#include <thread>

#include "cpu/features.hpp"

namespace gpuminer {
namespace {

using Clock = std::chrono::steady_clock;

struct Reading {
    Clock::time_point time = Clock::now();
    std::uint64_t cycles = have_rdtscp() ? read_tsc() : 0;
};

const Reading kProgramStart;

}  // namespace

bool have_rdtscp() {
    static const bool have = cpu::detect_features().rdtscp;
    return have;
}

double measured_tsc_hz() {
    std::this_thread::sleep_until(kProgramStart.time + std::chrono::milliseconds(10));
    const Reading now;
    return static_cast<double>(now.cycles - kProgramStart.cycles) /
           std::chrono::duration<double>(now.time - kProgramStart.time).count();
}

}  // namespace gpuminer
