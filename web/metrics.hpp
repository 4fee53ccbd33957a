// Metrics in the text format of Prometheus, version 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/search/search_types.hpp"
#include "net/work_client.hpp"

namespace gpuminer::web {

struct DeviceFacts {
    const DeviceStatus* device = nullptr;
    std::optional<double> temperature_celsius, power_watts;
};

/// Views of somebody else's facts, for the time of the call.
struct MetricFacts {
    std::string_view host;
    double uptime_seconds = 0;
    double hash_rate = 0;  ///< hashes per second
    std::uint64_t hashes = 0;
    bool paused = false;
    std::string_view idle;  ///< as why_idle()
    bool has_server = false;
    const net::WorkStatus* status = nullptr;
    double best_difficulty = 0;
    std::optional<double> cpu_energy_joules;
    std::vector<DeviceFacts> devices;
};

[[nodiscard]] std::string metrics_text(const MetricFacts& facts);

}  // namespace gpuminer::web
