// The output of `devices`, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "host/devices/devices.hpp"

namespace gpuminer {

/// A table that fits 120 columns: what does not fit into a device's line follows below it.
[[nodiscard]] std::string devices_text(const std::vector<ListedDevice>& devices);
[[nodiscard]] std::string devices_json(const std::vector<ListedDevice>& devices);

}  // namespace gpuminer
