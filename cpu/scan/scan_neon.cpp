// The search over four nonces per NEON vector.
#include "cpu/scan/lanes_neon.hpp"
#include "cpu/scan/scan_lanes.hpp"

namespace gpuminer::cpu {

void scan_neon(ScanArguments& arguments) {
    arguments.scanned_by = "neon";
    LaneScan<NeonLanes>::scan(arguments);
}

}  // namespace gpuminer::cpu
