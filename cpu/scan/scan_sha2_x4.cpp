// The search with ARM64's SHA-2 instructions, four nonces interleaved.
#include "cpu/scan/scan_sha2_streams.hpp"

namespace gpuminer::cpu {

void scan_sha2_x4(ScanArguments& arguments) { Sha2Scan<4>::scan(arguments); }

}  // namespace gpuminer::cpu
