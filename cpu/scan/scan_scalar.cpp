// The search one nonce at a time.
#include "cpu/scan/lanes_scalar.hpp"
#include "cpu/scan/scan_lanes.hpp"

namespace gpuminer::cpu {

void scan_scalar(ScanArguments& arguments) {
    arguments.scanned_by = "scalar";
    LaneScan<ScalarLanes>::scan(arguments);
}

}  // namespace gpuminer::cpu
