#include "cuda/driver.hpp"

#include <cstdlib>
#include <utility>

namespace gpuminer::cuda {

DeviceNumber device_at(const Api& api, unsigned index) {
    DeviceNumber device = 0;
    check(api, api.DeviceGet(&device, static_cast<int>(index)), "finding the device");
    return device;
}

unsigned capability_of(const Api& api, DeviceNumber device) {
    int major = 0, minor = 0;
    check(api, api.DeviceGetAttribute(&major, kComputeCapabilityMajor, device), "asking for the compute capability");
    check(api, api.DeviceGetAttribute(&minor, kComputeCapabilityMinor, device), "asking for the compute capability");
    return static_cast<unsigned>(10 * major + minor);
}

int driver_version(const Api& api) {
    int version = 0;
    check(api, api.DriverGetVersion(&version), "asking for the driver's version");
    return version;
}

int year_of(int cuda_version) {
    constexpr std::pair<int, int> kFirstOfYear[] = {// and the first version that is not known
                                                    {10010, 2019}, {11000, 2020}, {11030, 2021}, {11060, 2022},
                                                    {12010, 2023}, {12040, 2024}, {12080, 2025}, {13020, 0}};
    int year = 0;
    for (const auto& [version, first] : kFirstOfYear) {
        if (version <= cuda_version) year = first;
    }
    return year;
}

std::string wanted_code(const DeviceOptions& options) {
    const char* const forced = std::getenv("CUDA_FORCE_PTX_JIT");
    return options.cuda_code == "auto" && forced != nullptr && std::string_view(forced) == "1" ? "ptx"
                                                                                               : options.cuda_code;
}

}  // namespace gpuminer::cuda
