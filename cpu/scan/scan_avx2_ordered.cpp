// The search over eight nonces per 256-bit vector, its instructions ordered by latency before registers are given out
// (cpu/CMakeLists.txt): faster where a CPU waits for results more than for ports.
#include "cpu/scan/lanes_avx2.hpp"
#include "cpu/scan/scan_lanes.hpp"

namespace gpuminer::cpu {

void scan_avx2_ordered(ScanArguments& arguments) {
    arguments.scanned_by = "avx2";
    LaneScan<Avx2Lanes>::scan(arguments);
}

}  // namespace gpuminer::cpu
