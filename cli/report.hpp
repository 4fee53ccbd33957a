// What `mine` says on standard output, as text and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "host/search/search_types.hpp"
#include "host/sensors/sensor_report.hpp"

namespace gpuminer {

/// The hits, then the per-thread table: for each device its range (first–last, inclusive), average, maximum
/// and minimum cycles per hash and total cycles (rdtscp: reference cycles), as in the original experiment; then what
/// sensors say of energy and temperature.
void write_search_text(Output& output, const SearchRequest& request, const SearchReport& report,
                       const SensorReport& sensors);

/// The document of `mine --json`, on several lines, one for each hit.
void write_search_json(Output& output, const SearchRequest& request, const SearchReport& report,
                       const SensorReport& sensors);

// Parts of these, for other commands:
[[nodiscard]] const char* ending_name(Ending ending);
/// One line for each device with sensors, and one for the CPUs; without any: nothing.
void write_sensors(Output& output, const SearchReport& report, const SensorReport& sensors);
/// `ranges`: with `start` and `end`.
[[nodiscard]] nlohmann::ordered_json device_json(const DeviceReport& device, const SensorReport& sensors, bool ranges);
/// Names of devices and models come from drivers, other texts from servers: what is not UTF-8 is replaced.
[[nodiscard]] std::string dump(const nlohmann::ordered_json& json, int indent = -1);

/// {"error": …, "exit_code": …}
[[nodiscard]] std::string error_json(const std::string& message, int exit_code);

}  // namespace gpuminer
