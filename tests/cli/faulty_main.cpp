// The program gpuminer_faulty. Its energy counters of CPU packages are in the folder that GPUMINER_FAULTY_POWERCAP
// names.
#include <cstdlib>

#include "cli/program.hpp"

int main(int argc, char** argv) {
    const char* powercap = std::getenv("GPUMINER_FAULTY_POWERCAP");
    return gpuminer::run_program(argc, argv, {.powercap = powercap != nullptr ? powercap : "/nonexistent"});
}
