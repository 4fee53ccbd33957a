// main() of gpuminer_faulty: gpuminer's command line, with GPUMINER_FAULTY_PATIENCE (seconds) as the time for which a
// backend or a device may be silent.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>

#include "cli/program.hpp"

namespace {

gpuminer::FleetTimes fleet_times() {
    const char* const patience = std::getenv("GPUMINER_FAULTY_PATIENCE");
    if (patience == nullptr || *patience == '\0') return {};
    const std::chrono::milliseconds time(std::lround(std::stod(patience) * 1000));
    return {.probe = time, .open = 10 * time, .answer = time};
}

}  // namespace

int main(int argc, char** argv) { return gpuminer::run_program(argc, argv, {.fleet_times = fleet_times()}); }
