// The search with the CPU's SHA instructions for the rounds, two nonces in turns, and schedules in AVX2's 256-bit
// vectors.
#define GPUMINER_WOVEN_FIXED "search_program/woven_fixed_2.inc"
#define GPUMINER_WOVEN_ROLLED "search_program/woven_rolled_2.inc"
#include "cpu/scan/lanes_avx2.hpp"
#include "cpu/scan/scan_woven.hpp"

namespace gpuminer::cpu {

void scan_avx2_shani(ScanArguments& arguments) {
    arguments.scanned_by = "avx2+shani";
    WovenScan<Avx2Lanes, 2>::scan(arguments);
}

}  // namespace gpuminer::cpu
