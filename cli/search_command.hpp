// Parts of `gpuminer mine` shared with `gpuminer-mpi mine`.
#pragma once

#include <optional>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/run/observers.hpp"
#include "host/search/request_source.hpp"
#include "host/search/search_types.hpp"
#include "host/sensors/sensor_report.hpp"

namespace gpuminer {

/// One for each header. `input_wait`: seconds until standard input was read; empty where it is not. Throws InputError,
/// also for several headers together with --checkpoint or --resume.
[[nodiscard]] std::vector<SearchRequest> search_requests(const Options& options, std::optional<double>& input_wait);

/// Of a search that was over when it was resumed.
[[nodiscard]] SearchReport report_without_devices(RequestSource& source);

/// `stop_signal`: by which it was stopped, if it was.
[[nodiscard]] int search_exit_code(const SearchReport& report, int stop_signal);

/// To observers, then on standard output. `one_line`: JSON of one search among several.
void report_search(const Options& options, Observers& observers, const SearchRequest& request,
                   const SearchReport& report, const SensorReport& sensors, bool one_line);

}  // namespace gpuminer
