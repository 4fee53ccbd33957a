// The search over two 512-bit vectors at a time, each of sixteen nonces. The code of either half fills a first-level
// instruction cache almost, and fetching it anew takes some 6,000 cycles (Zen 5): the blocks are large.
#include "cpu/scan/lanes_avx512.hpp"
#include "cpu/scan/lanes_pair.hpp"
#include "cpu/scan/scan_lanes.hpp"

namespace gpuminer::cpu {

void scan_avx512_x2(ScanArguments& arguments) {
    arguments.scanned_by = "avx512";
    LaneScan<PairLanes<Avx512Lanes>, 256, 32>::scan(arguments);
}

}  // namespace gpuminer::cpu
