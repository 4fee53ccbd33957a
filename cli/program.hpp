// The edge of the program: words in, exit code out; every error becomes one plain sentence here.
#pragma once

#include "host/devices/times.hpp"

namespace gpuminer {

/// What a program sets beside the user's words. Programs for tests have values of their own.
struct ProgramSetup {
    FleetTimes fleet_times = {};
};

/// The body of main(). Ends the process itself where a thread is still inside a driver.
[[nodiscard]] int run_program(int argc, const char* const* argv, const ProgramSetup& setup = {});

}  // namespace gpuminer
