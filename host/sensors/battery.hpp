// The state of the machine's battery power, as Linux reports it
// (https://docs.kernel.org/power/power_supply_class.html), or Windows (GetSystemPowerStatus()).
#pragma once

#include <filesystem>

namespace gpuminer {

/// Where Linux lists what supplies the machine.
inline constexpr const char* kPowerSupplies = "/sys/class/power_supply";

/// A battery of the machine itself (not of a mouse) discharges, and no other supply is connected. `folder`: laid out as
/// kPowerSupplies (Windows has none). A machine without a battery never does.
[[nodiscard]] bool runs_on_battery(const std::filesystem::path& folder = kPowerSupplies);

}  // namespace gpuminer
