#include "host/sensors/battery.hpp"

#include <string>
#include <system_error>

#include "host/sensors/sysfs.hpp"

namespace gpuminer {

bool runs_on_battery(const std::filesystem::path& folder) {
    bool discharges = false;
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::filesystem::path& supply = it->path();
        if (sysfs_line(supply / "scope") == "Device") continue;
        const std::string type = sysfs_line(supply / "type").value_or("");
        if (type == "Battery" || type == "UPS") {
            discharges = discharges || sysfs_line(supply / "status") == "Discharging";
        } else if (sysfs_line(supply / "online") == "1") {
            return false;
        }
    }
    return discharges;
}

}  // namespace gpuminer
