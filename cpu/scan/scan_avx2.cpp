// The search over eight nonces per 256-bit vector.
#include "cpu/scan/lanes_avx2.hpp"
#include "cpu/scan/scan_lanes.hpp"

namespace gpuminer::cpu {

void scan_avx2(ScanArguments& arguments) {
    arguments.scanned_by = "avx2";
    LaneScan<Avx2Lanes>::scan(arguments);
}

}  // namespace gpuminer::cpu
