#include "cli/report/device_text.hpp"

#include <fmt/format.h>

#include <map>

namespace gpuminer {

std::string count_devices(const std::vector<DeviceInfo>& devices) {
    if (devices.empty()) return "waiting for devices";
    std::map<std::string, unsigned> counts;
    for (const DeviceInfo& info : devices) {
        const std::string kind = fmt::format("{}:{}", info.backend, info.kind);
        ++counts[info.description.empty() ? kind : fmt::format("{} ({})", kind, info.description)];
    }
    std::string text;
    for (const auto& [name, count] : counts) {
        text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", count, name);
    }
    return text;
}

std::string joining_text(const DeviceInfo& info) {
    return fmt::format("{} joins: {}{}{}", info.name, info.model, info.description.empty() ? "" : ", ",
                       info.description);
}

}  // namespace gpuminer
