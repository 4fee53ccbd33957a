#include <fmt/format.h>

#include <cstdlib>

#include "cuda/code.hpp"
#include "cuda/driver.hpp"
#include "host/system/driver_libraries.hpp"
#include "host/system/shared_library.hpp"

namespace gpuminer::cuda {

DriverFacts driver_facts() {
    DriverFacts facts;
    SharedLibrary library(kCudaLibrary);
    facts.driver_found = library.loaded();
    facts.load_error = library.failure();
    library.unload();
    facts.driver_usable = system_api() != nullptr;
    facts.hidden = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr;
    return facts;
}

std::string why_no_device(const DriverFacts& facts) {
    const std::string driver = driver_for(kOldestDriver);
    if (!facts.driver_found)
        return fmt::format("there is no NVIDIA driver that works ({}); install driver {}", facts.load_error, driver);
    if (!facts.driver_usable) return fmt::format("the NVIDIA driver is too old; install driver {}", driver);
    if (!facts.error.empty())
        return fmt::format("CUDA cannot start ({}); if nvidia-smi fails as well, restart the machine", facts.error);
    if (facts.hidden) return "CUDA_VISIBLE_DEVICES hides every device; unset it";
    return "the NVIDIA driver has found no GPU; nvidia-smi lists the GPUs that it sees";
}

std::string installed_version() { return {}; }

}  // namespace gpuminer::cuda
