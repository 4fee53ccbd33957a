// Detection of ARM64's CPU features.
#include "cpu/machine/features.hpp"

#include <asm/hwcap.h>
#include <sys/auxv.h>

#include <cstdint>

namespace gpuminer::cpu {

Features detect_features() {
    const std::uint64_t has = getauxval(AT_HWCAP);
    Features features;
    features.asimd = (has & HWCAP_ASIMD) != 0;
    features.sha2 = features.asimd && (has & HWCAP_SHA2) != 0;
    features.cycle_counter = true;  // every CPU has it, and Linux opens it to programs
    return features;
}

}  // namespace gpuminer::cpu
