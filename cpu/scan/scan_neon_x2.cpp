// The search over two NEON vectors at a time, each of four nonces.
#include "cpu/scan/lanes_neon.hpp"
#include "cpu/scan/lanes_pair.hpp"
#include "cpu/scan/scan_lanes.hpp"

namespace gpuminer::cpu {

void scan_neon_x2(ScanArguments& arguments) {
    arguments.scanned_by = "neon";
    LaneScan<PairLanes<NeonLanes>>::scan(arguments);
}

}  // namespace gpuminer::cpu
