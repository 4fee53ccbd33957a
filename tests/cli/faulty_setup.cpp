// The setup of gpuminer_faulty's command line, from environment variables that tests set.
#include "faulty_setup.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>

namespace gpuminer::test {
namespace {

/// GPUMINER_FAULTY_PATIENCE: seconds for which a backend or a device may be silent.
FleetTimes fleet_times() {
    const char* const patience = std::getenv("GPUMINER_FAULTY_PATIENCE");
    if (patience == nullptr || *patience == '\0') return {};
    const std::chrono::milliseconds time(std::lround(std::stod(patience) * 1000));
    return {.probe = time, .open = 10 * time, .answer = time};
}

/// GPUMINER_FAULTY_CHECKPOINTS: seconds between checkpoints.
CheckpointTimes checkpoint_times() {
    const char* const between = std::getenv("GPUMINER_FAULTY_CHECKPOINTS");
    if (between == nullptr || *between == '\0') return {};
    const std::chrono::milliseconds time(std::lround(std::stod(between) * 1000));
    return {.first = time, .next = time, .most_of_the_time = 1};
}

}  // namespace

ProgramSetup faulty_setup() {
    const char* const supplies = std::getenv("GPUMINER_FAULTY_POWER_SUPPLIES");  // a folder as Linux has one
    const char* const powercap = std::getenv("GPUMINER_FAULTY_POWERCAP");        // a folder of energy counters
    const char* const hwmon = std::getenv("GPUMINER_FAULTY_HWMON");              // a folder of chips
    const char* const config = std::getenv("GPUMINER_FAULTY_CONFIG");            // in place of the system's
    return {.fleet_times = fleet_times(),
            .checkpoint_times = checkpoint_times(),
            .powercap = powercap != nullptr ? powercap : "/nonexistent",
            .hwmon = hwmon != nullptr ? hwmon : "/nonexistent",
            .power_supplies = supplies != nullptr ? supplies : "/nonexistent",
            .system_config = config != nullptr ? config : "/nonexistent"};
}

}  // namespace gpuminer::test
