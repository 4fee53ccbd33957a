// Common parts of the reports of searches: lines of tables, advice.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "cli/report/report.hpp"
#include "host/text/format.hpp"
#include "host/text/table.hpp"

namespace gpuminer {

std::string name_in_table(const DeviceReport& device) {
    return device.rank ? fmt::format("{}/{}", *device.rank, device.info.name) : device.info.name;
}

std::vector<DeviceReport> table_lines(const std::vector<DeviceReport>& devices, bool each_device) {
    constexpr std::ptrdiff_t kMostOfABackend = 16;
    std::vector<DeviceReport> lines;
    for (DeviceReport device : devices) {
        device.info.name = name_in_table(device);
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

void write_ranks(Output& output, const std::vector<RankSummary>& ranks) {
    if (ranks.empty()) return;
    Table table{{"rank", "host", "devices", "hashes", "time", "rate"}, {}};
    for (const RankSummary& rank : ranks) {
        table.rows.push_back({std::to_string(rank.rank), rank.host, std::to_string(rank.devices), grouped(rank.hashes),
                              fmt::format("{:.3f} s", rank.seconds),
                              rate_text(rate_of(static_cast<double>(rank.hashes), rank.seconds))});
    }
    output.write("\n" + aligned_text(table, {.columns = output.columns()}));
}

nlohmann::ordered_json ranks_json(const std::vector<RankSummary>& ranks) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const RankSummary& rank : ranks) {
        json.push_back({{"rank", rank.rank},
                        {"host", rank.host},
                        {"devices", rank.devices},
                        {"hashes", rank.hashes},
                        {"seconds", rank.seconds},
                        {"hash_rate", rate_of(static_cast<double>(rank.hashes), rank.seconds)}});
    }
    return json;
}

std::string what_to_change(const SearchRequest& request) {
    constexpr std::uint32_t kLastNonce = 0xffffffff;
    if (request.start > 0 || request.end < kLastNonce) return "search more of the nonces (--start, --end)";
    const char* const versions =
        request.version_mask == 0 ? ", or search more versions (--roll-versions 1fffe000)" : "";
    return fmt::format("set another time in the header{}", versions);
}

}  // namespace gpuminer
