// The name of an ARM64 CPU.
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cpu/machine/cpu_model.hpp"

namespace gpuminer::cpu {
namespace {

/// MIDR_EL1, what a core says of itself (Arm ARM, D17.2.100): who made it, and its number among the maker's.
struct Midr {
    std::uint64_t value;

    [[nodiscard]] unsigned implementer() const { return value >> 24 & 0xff; }
    [[nodiscard]] unsigned part() const { return value >> 4 & 0xfff; }
};

struct KnownCore {
    unsigned implementer, part;
    const char* name;
};
/// The makers' numbers, as in Linux, arch/arm64/include/asm/cputype.h. Others are named by their numbers.
constexpr std::array kKnownCores = {
    KnownCore{0x41, 0xd03, "Cortex-A53"},
    KnownCore{0x41, 0xd04, "Cortex-A35"},
    KnownCore{0x41, 0xd05, "Cortex-A55"},
    KnownCore{0x41, 0xd07, "Cortex-A57"},
    KnownCore{0x41, 0xd08, "Cortex-A72"},
    KnownCore{0x41, 0xd09, "Cortex-A73"},
    KnownCore{0x41, 0xd0a, "Cortex-A75"},
    KnownCore{0x41, 0xd0b, "Cortex-A76"},
    KnownCore{0x41, 0xd0c, "Neoverse-N1"},
    KnownCore{0x41, 0xd0d, "Cortex-A77"},
    KnownCore{0x41, 0xd40, "Neoverse-V1"},
    KnownCore{0x41, 0xd41, "Cortex-A78"},
    KnownCore{0x41, 0xd42, "Cortex-A78AE"},
    KnownCore{0x41, 0xd44, "Cortex-X1"},
    KnownCore{0x41, 0xd46, "Cortex-A510"},
    KnownCore{0x41, 0xd47, "Cortex-A710"},
    KnownCore{0x41, 0xd48, "Cortex-X2"},
    KnownCore{0x41, 0xd49, "Neoverse-N2"},
    KnownCore{0x41, 0xd4d, "Cortex-A715"},
    KnownCore{0x41, 0xd4e, "Cortex-X3"},
    KnownCore{0x41, 0xd4f, "Neoverse-V2"},
    KnownCore{0x41, 0xd80, "Cortex-A520"},
    KnownCore{0x41, 0xd81, "Cortex-A720"},
    KnownCore{0x41, 0xd82, "Cortex-X4"},
    KnownCore{0x41, 0xd84, "Neoverse-V3"},
    KnownCore{0x41, 0xd85, "Cortex-X925"},
    KnownCore{0x41, 0xd87, "Cortex-A725"},
    KnownCore{0x41, 0xd8e, "Neoverse-N3"},
    KnownCore{0x46, 0x001, "Fujitsu A64FX"},
    KnownCore{0x4e, 0x004, "NVIDIA Carmel"},
    KnownCore{0x4e, 0x010, "NVIDIA Olympus"},
    KnownCore{0x51, 0x001, "Qualcomm Oryon"},
    KnownCore{0x61, 0x022, "Apple M1 Icestorm"},
    KnownCore{0x61, 0x023, "Apple M1 Firestorm"},
    KnownCore{0x61, 0x024, "Apple M1 Pro Icestorm"},
    KnownCore{0x61, 0x025, "Apple M1 Pro Firestorm"},
    KnownCore{0x61, 0x028, "Apple M1 Max Icestorm"},
    KnownCore{0x61, 0x029, "Apple M1 Max Firestorm"},
    KnownCore{0x61, 0x032, "Apple M2 Blizzard"},
    KnownCore{0x61, 0x033, "Apple M2 Avalanche"},
    KnownCore{0x61, 0x034, "Apple M2 Pro Blizzard"},
    KnownCore{0x61, 0x035, "Apple M2 Pro Avalanche"},
    KnownCore{0x61, 0x038, "Apple M2 Max Blizzard"},
    KnownCore{0x61, 0x039, "Apple M2 Max Avalanche"},
    KnownCore{0x6d, 0xd49, "Azure Cobalt 100"},
    KnownCore{0xc0, 0xac3, "Ampere-1"},
    KnownCore{0xc0, 0xac4, "Ampere-1A"},
};

std::string name_of(Midr midr) {
    for (const KnownCore& core : kKnownCores) {
        if (core.implementer == midr.implementer() && core.part == midr.part()) return core.name;
    }
    constexpr unsigned kApple = 0x61;
    return fmt::format("{} core 0x{:03x}",
                       midr.implementer() == kApple ? "Apple" : fmt::format("ARM64 maker 0x{:02x}", midr.implementer()),
                       midr.part());
}

/// The core that this runs on; Linux lets programs read the register where it says so (HWCAP_CPUID).
Midr midr_here() {
    std::uint64_t value = 0;
    if ((getauxval(AT_HWCAP) & HWCAP_CPUID) != 0) asm("mrs %0, midr_el1" : "=r"(value));
    return {value};
}

/// Names of all kinds of cores that Linux knows of: big and little ones differ.
std::set<std::string> names_of_all_cores() {
    std::set<std::string> names;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/cpu", ignored)) {
        std::uint64_t value = 0;
        if (std::ifstream(entry.path() / "regs/identification/midr_el1") >> std::hex >> value)
            names.insert(name_of({value}));
    }
    return names;
}

}  // namespace

std::string cpu_model() {
    std::set<std::string> names = names_of_all_cores();
    if (names.empty()) names.insert(midr_here().value == 0 ? "ARM64 CPU" : name_of(midr_here()));
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace gpuminer::cpu
