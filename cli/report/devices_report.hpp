// The output of `devices`, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "host/devices/devices.hpp"
#include "host/text/table.hpp"

namespace gpuminer {

/// A table that fits so many columns (and 120 at most): what does not fit into a device's line follows below it.
[[nodiscard]] std::string devices_text(const std::vector<ListedDevice>& devices,
                                       std::size_t columns = kUnlimitedColumns);
[[nodiscard]] std::string devices_json(const std::vector<ListedDevice>& devices);

}  // namespace gpuminer
