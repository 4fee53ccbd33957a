// The output of `mine`, as text and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal/output.hpp"
#include "host/search/search_types.hpp"
#include "host/sensors/sensor_report.hpp"

namespace gpuminer {

/// The hits, then the per-thread table, then energy and temperature as sensors measured them. `detailed`: the table has
/// for each device its range (first–last, inclusive), average, maximum and minimum cycles per hash and total cycles
/// (rdtscp: reference cycles), as in the original experiment; otherwise neither, and many devices of a backend are one
/// line.
void write_search_text(Output& output, const SearchRequest& request, const SearchReport& report,
                       const SensorReport& sensors, bool detailed);

/// The document of `mine --json`, on several lines, one for each hit, or on one.
void write_search_json(Output& output, const SearchRequest& request, const SearchReport& report,
                       const SensorReport& sensors, bool one_line);
/// The same on one line, without its end. Empty: with so many hits it would have many more than `most` bytes.
[[nodiscard]] std::string search_json(const SearchRequest& request, const SearchReport& report,
                                      const SensorReport& sensors, std::size_t most);

/// What a search of everything asked for that found nothing may go on with: "set another time in the header, …".
[[nodiscard]] std::string what_to_change(const SearchRequest& request);

// Parts of these, for other commands:
/// "cuda#0"; of one of several processes (MPI) "2/cuda#0", which is its name in a SensorReport, too.
[[nodiscard]] std::string name_in_table(const DeviceReport& device);
/// The lines of a table: each device, or one for all of a backend that has more than 16 of them.
[[nodiscard]] std::vector<DeviceReport> table_lines(const std::vector<DeviceReport>& devices, bool each_device);
[[nodiscard]] const char* ending_name(Ending ending);
/// A table of the processes (MPI). Without any: nothing.
void write_ranks(Output& output, const std::vector<RankSummary>& ranks);
[[nodiscard]] nlohmann::ordered_json ranks_json(const std::vector<RankSummary>& ranks);
/// One line for each device with sensors, and one for the CPUs; without any: nothing.
void write_sensors(Output& output, const SearchReport& report, const SensorReport& sensors);
/// `ranges`: with `start` and `end`.
[[nodiscard]] nlohmann::ordered_json device_json(const DeviceReport& device, const SensorReport& sensors, bool ranges);

/// {"error": …, "exit_code": …}
[[nodiscard]] nlohmann::ordered_json error_document(const std::string& message, int exit_code);
/// The same as text.
[[nodiscard]] std::string error_json(const std::string& message, int exit_code);

}  // namespace gpuminer
