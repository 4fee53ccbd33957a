#include <windows.h>

#include "host/sensors/battery.hpp"

namespace gpuminer {

bool runs_on_battery(const std::filesystem::path& /*folder*/) {
    constexpr BYTE kNotPluggedIn = 0, kNoBattery = 128, kUnknown = 255;
    SYSTEM_POWER_STATUS status{};
    if (GetSystemPowerStatus(&status) == 0 || status.BatteryFlag == kUnknown) return false;
    return (status.BatteryFlag & kNoBattery) == 0 && status.ACLineStatus == kNotPluggedIn;
}

}  // namespace gpuminer
