#include "opencl/drivers.hpp"

namespace gpuminer::opencl {

const Remedies kRemedies{
    .no_loader = "install the driver of your GPU",
    .old_loader = "install a newer driver of your GPU",
    .no_device = "install your GPU's driver anew",
    .unavailable = "end other programs that use it, or restart the machine",
};

bool only_software_drivers(const std::filesystem::path& /*vendors*/) { return false; }

std::string place_of_drivers(const std::filesystem::path& /*vendors*/) { return "Windows' registry"; }

std::vector<std::string> broken_drivers(const std::filesystem::path& /*vendors*/) { return {}; }

std::vector<std::string> loadable_drivers(const std::filesystem::path& /*vendors*/) { return {}; }

}  // namespace gpuminer::opencl
