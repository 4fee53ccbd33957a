// Setup of a program: the times, folders and functions that programs of the tests replace.
#pragma once

#include <functional>

#include "host/checkpoint/times.hpp"
#include "host/devices/times.hpp"
#include "host/sensors/battery.hpp"
#include "host/sensors/cpu_energy.hpp"
#include "host/sensors/hwmon.hpp"

namespace gpuminer {

class SignalThread;
struct Options;
struct ProgramSetup;

/// What a program does with its options; returns the exit code.
using RunCommand = int (*)(const Options&, SignalThread&, const ProgramSetup&);

/// gpuminer takes the defaults; programs of the tests replace them. (Made before anybody can say that there is no
/// memory, so it takes none.)
struct ProgramSetup {
    FleetTimes fleet_times = {};                  ///< how long backends and devices may be silent
    CheckpointTimes checkpoint_times = {};        ///< when --checkpoint writes
    const char* powercap = kPowercapFolder;       ///< where CpuEnergy finds its counters
    const char* hwmon = kHwmonFolder;             ///< where temperatures are
    const char* power_supplies = kPowerSupplies;  ///< where --pause-on-battery looks
    const char* system_config = "/etc/gpuminer/config.toml";
    RunCommand run = nullptr;  ///< null: run_command() of commands.hpp
    const char* help = "";     ///< what --help says before gpuminer's own
};

/// For ProgressOptions: what is asked with --pause-on-battery; empty without.
[[nodiscard]] std::function<bool()> battery_watch(const Options& options, const ProgramSetup& setup);

}  // namespace gpuminer
