// main() of gpuminer_faulty: gpuminer's command line, with what tests set by environment variables.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>

#include "cli/program.hpp"

namespace {

/// GPUMINER_FAULTY_PATIENCE: seconds for which a backend or a device may be silent.
gpuminer::FleetTimes fleet_times() {
    const char* const patience = std::getenv("GPUMINER_FAULTY_PATIENCE");
    if (patience == nullptr || *patience == '\0') return {};
    const std::chrono::milliseconds time(std::lround(std::stod(patience) * 1000));
    return {.probe = time, .open = 10 * time, .answer = time};
}

}  // namespace

int main(int argc, char** argv) {
    const char* const supplies = std::getenv("GPUMINER_FAULTY_POWER_SUPPLIES");  // a folder as Linux has one
    const char* const powercap = std::getenv("GPUMINER_FAULTY_POWERCAP");        // a folder of energy counters
    const char* const config = std::getenv("GPUMINER_FAULTY_CONFIG");            // in place of the system's
    return gpuminer::run_program(argc, argv,
                                 {.fleet_times = fleet_times(),
                                  .powercap = powercap != nullptr ? powercap : "/nonexistent",
                                  .power_supplies = supplies != nullptr ? supplies : "/nonexistent",
                                  .system_config = config != nullptr ? config : "/nonexistent"});
}
