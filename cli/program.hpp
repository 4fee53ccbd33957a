// The command line as a function: arguments in, exit code out. Every error becomes one plain sentence here.
#pragma once

#include <string>

#include "host/checkpoint/times.hpp"
#include "host/devices/times.hpp"
#include "host/sensors/battery.hpp"
#include "host/sensors/cpu_energy.hpp"

namespace gpuminer {

class SignalThread;
struct Options;
struct ProgramSetup;

/// What a program does with its options; returns the exit code.
using RunCommand = int (*)(const Options&, SignalThread&, const ProgramSetup&);

/// What a program brings to the command line. gpuminer takes the defaults; programs of the tests replace them. (Made
/// before anybody can say that there is no memory, so it takes none.)
struct ProgramSetup {
    FleetTimes fleet_times = {};                  ///< how long backends and devices may be silent
    CheckpointTimes checkpoint_times = {};        ///< when --checkpoint writes
    const char* powercap = kPowercapFolder;       ///< where CpuEnergy finds its counters
    const char* power_supplies = kPowerSupplies;  ///< where --pause-on-battery looks
    const char* system_config = "/etc/gpuminer/config.toml";
    RunCommand run = nullptr;  ///< null: run_command() of commands.hpp
    const char* help = "";     ///< what --help says before gpuminer's own
};

/// What main() does; passwords in `argv` are overwritten. With an abandoned thread (abandoned_threads.hpp) it ends the
/// process instead of returning.
[[nodiscard]] int run_program(int argc, char** argv, const ProgramSetup& setup);

/// An error as a message, and with --json as a document. Returns the exit code.
int report_error(const std::string& message, int exit_code, bool json);

}  // namespace gpuminer
