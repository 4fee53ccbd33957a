// The search over four nonces per 128-bit vector.
#include "cpu/scan/lanes_sse41.hpp"
#include "cpu/scan/scan_lanes.hpp"

namespace gpuminer::cpu {

void scan_sse41(ScanArguments& arguments) {
    arguments.scanned_by = "sse41";
    LaneScan<Sse41Lanes>::scan(arguments);
}

}  // namespace gpuminer::cpu
