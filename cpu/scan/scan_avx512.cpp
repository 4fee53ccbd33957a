// The search over sixteen nonces per 512-bit vector.
#include "cpu/scan/lanes_avx512.hpp"
#include "cpu/scan/scan_lanes.hpp"

namespace gpuminer::cpu {

void scan_avx512(ScanArguments& arguments) {
    arguments.scanned_by = "avx512";
    LaneScan<Avx512Lanes>::scan(arguments);
}

}  // namespace gpuminer::cpu
