// The search with the CPU's SHA instructions for the rounds, four nonces in turns, and schedules in AVX-512's 256-bit
// vectors.
#define GPUMINER_WOVEN_FIXED "search_program/woven_fixed_4.inc"
#define GPUMINER_WOVEN_ROLLED "search_program/woven_rolled_4.inc"
#include "cpu/scan/lanes_avx512vl.hpp"
#include "cpu/scan/scan_woven.hpp"

namespace gpuminer::cpu {

void scan_avx512_shani(ScanArguments& arguments) {
    arguments.scanned_by = "avx512+shani";
    WovenScan<Avx512VlLanes, 4>::scan(arguments);
}

}  // namespace gpuminer::cpu
