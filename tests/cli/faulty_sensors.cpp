// Where gpuminer_faulty looks for the energy counters of CPU packages: GPUMINER_FAULTY_POWERCAP names the folder.
#include <cstdlib>

#include "host/sensors/cpu_energy.hpp"

namespace gpuminer {

// In place of that of host/sensors/powercap_folder.cpp, which the linker leaves out.
std::filesystem::path powercap_folder() {
    const char* folder = std::getenv("GPUMINER_FAULTY_POWERCAP");
    return folder != nullptr ? folder : "/nonexistent";
}

}  // namespace gpuminer
