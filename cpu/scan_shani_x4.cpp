// The search with the CPU's SHA instructions, four nonces interleaved.
#include "cpu/scan_shani_streams.hpp"

namespace gpuminer::cpu {

void scan_shani_x4(ScanArguments& arguments) { ShaniScan<4>::scan(arguments); }

}  // namespace gpuminer::cpu
