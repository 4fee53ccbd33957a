#include "host/sensors/battery.hpp"

#include <fstream>
#include <string>
#include <system_error>

namespace gpuminer {
namespace {

/// The first line; empty: there is none.
std::string line_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

}  // namespace

bool runs_on_battery(const std::filesystem::path& folder) {
    bool discharges = false;
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::filesystem::path& supply = it->path();
        if (line_of(supply / "scope") == "Device") continue;
        const std::string type = line_of(supply / "type");
        if (type == "Battery" || type == "UPS") {
            discharges = discharges || line_of(supply / "status") == "Discharging";
        } else if (line_of(supply / "online") == "1") {
            return false;
        }
    }
    return discharges;
}

}  // namespace gpuminer
