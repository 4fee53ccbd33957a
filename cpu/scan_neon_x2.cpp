// The search over two NEON vectors at a time, each of four nonces.
#include "cpu/lanes_neon.hpp"
#include "cpu/lanes_pair.hpp"
#include "cpu/scan_lanes.hpp"

namespace gpuminer::cpu {

void scan_neon_x2(ScanArguments& arguments) {
    arguments.scanned_by = "neon";
    LaneScan<PairLanes<NeonLanes>>::scan(arguments);
}

}  // namespace gpuminer::cpu
