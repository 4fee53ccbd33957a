#include "cli/run/setup.hpp"

#include "cli/options/options.hpp"

namespace gpuminer {

std::function<bool()> battery_watch(const Options& options, const ProgramSetup& setup) {
    if (!options.pause_on_battery) return {};
    return [folder = setup.power_supplies] { return runs_on_battery(folder); };
}

}  // namespace gpuminer
