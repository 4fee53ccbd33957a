#include "cpu/machine/cycle_counter.hpp"

#include <chrono>
#include <thread>

#include "cpu/machine/features.hpp"

namespace gpuminer {
namespace {

using Clock = std::chrono::steady_clock;

/// The clock and the counter at the same moment.
struct Reading {
    Clock::time_point time;
    std::uint64_t cycles = 0;
};

/// The closest of a few attempts: between two reads of the clock the process may have been interrupted.
Reading read_both() {
    Reading best;
    if (!have_cycle_counter()) return best;
    auto closest = Clock::duration::max();
    for (int attempt = 0; attempt < 5; ++attempt) {
        const auto before = Clock::now();
        const std::uint64_t cycles = read_cycle_counter();
        const auto between = Clock::now() - before;
        if (between >= closest) continue;
        closest = between;
        best = {before + between / 2, cycles};
    }
    return best;
}

const Reading kProgramStart = read_both();

}  // namespace

bool have_cycle_counter() {
    static const bool have = cpu::detect_features().cycle_counter;
    return have;
}

double measured_counter_hz() {
    std::this_thread::sleep_until(kProgramStart.time + std::chrono::milliseconds(10));
    const Reading now = read_both();
    return static_cast<double>(now.cycles - kProgramStart.cycles) /
           std::chrono::duration<double>(now.time - kProgramStart.time).count();
}

}  // namespace gpuminer
