// What `mine` and `devices` say on standard output, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "host/devices.hpp"
#include "host/output.hpp"
#include "host/search.hpp"

namespace gpuminer {

/// The hits, then the per-thread table: for each device its range (first–last, inclusive), average, maximum
/// and minimum cycles per hash and total cycles (rdtscp: reference cycles), as in the original experiment.
void write_search_text(Output& output, const SearchRequest& request, const SearchReport& report);

/// The document of `mine --json`, on several lines, one for each hit.
void write_search_json(Output& output, const SearchRequest& request, const SearchReport& report);

[[nodiscard]] std::string devices_text(const std::vector<ListedDevice>& devices);
[[nodiscard]] std::string devices_json(const std::vector<ListedDevice>& devices);

/// {"error": …, "exit_code": …}
[[nodiscard]] std::string error_json(const std::string& message, int exit_code);

}  // namespace gpuminer
