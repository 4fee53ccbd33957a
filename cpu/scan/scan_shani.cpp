// The search with the CPU's SHA instructions, two hashes interleaved.
#include "cpu/scan/scan_shani_streams.hpp"

namespace gpuminer::cpu {

void scan_shani(ScanArguments& arguments) { ShaniScan<1>::scan(arguments); }

}  // namespace gpuminer::cpu
