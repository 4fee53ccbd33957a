// The search with the CPU's SHA instructions, four hashes interleaved, and AVX's three-operand forms of all others.
#include "cpu/scan/scan_shani_streams.hpp"

namespace gpuminer::cpu {

void scan_shani_x4_avx(ScanArguments& arguments) { ShaniScan<2>::scan(arguments); }

}  // namespace gpuminer::cpu
