// What `mine` says on standard output, as text and as JSON.
#pragma once

#include <string>

#include "host/output.hpp"
#include "host/search.hpp"
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

/// {"error": …, "exit_code": …}
[[nodiscard]] std::string error_json(const std::string& message, int exit_code);

}  // namespace gpuminer
