// The search with ARM64's SHA-2 instructions, two nonces interleaved.
#include "cpu/scan/scan_sha2_streams.hpp"

namespace gpuminer::cpu {

void scan_sha2(ScanArguments& arguments) { Sha2Scan<2>::scan(arguments); }

}  // namespace gpuminer::cpu
