// What the reports of searches share: lines of tables, advice.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cli/report.hpp"

namespace gpuminer {

std::vector<DeviceReport> table_lines(const std::vector<DeviceReport>& devices, bool each_device) {
    constexpr std::ptrdiff_t kMostOfABackend = 16;
    std::vector<DeviceReport> lines;
    for (const DeviceReport& device : devices) {
        const auto is_of_it = [&](const DeviceReport& other) { return other.info.backend == device.info.backend; };
        const std::ptrdiff_t count = std::ranges::count_if(devices, is_of_it);
        if (each_device || count <= kMostOfABackend) {
            lines.push_back(device);
            continue;
        }
        const auto known = std::ranges::find_if(lines, is_of_it);
        if (known == lines.end()) {
            lines.push_back(device);
            lines.back().info.name = fmt::format("{} × {}", count, device.info.backend);
            continue;
        }
        known->hashes += device.hashes;
        known->seconds = std::max(known->seconds, device.seconds);
        known->cycles.merge(device.cycles);
        known->start = std::min(known->start, device.start);
        known->end = std::max(known->end, device.end);
    }
    return lines;
}

std::string what_to_change(const SearchRequest& request) {
    constexpr std::uint32_t kLastNonce = 0xffffffff;
    if (request.start > 0 || request.end < kLastNonce) return "search more of the nonces (--start, --end)";
    const char* const versions =
        request.version_mask == 0 ? ", or search more versions (--roll-versions 1fffe000)" : "";
    return fmt::format("set another time in the header{}", versions);
}

}  // namespace gpuminer
