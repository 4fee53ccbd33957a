#include "host/search/fleet.hpp"

namespace gpuminer {

FleetTimes usual_fleet_times() { return {}; }

}  // namespace gpuminer
