// The CPU features that the instruction sets need, detected per architecture (features_ARCHITECTURE*.cpp). On x86-64 it
// needs no library: baremetal/ has none.
#pragma once

namespace gpuminer::cpu {

/// Each flag: the instructions exist and the system saves the registers they use. (On x86-64 by cpuid and xgetbv, on
/// ARM64 by HWCAP, which is the system's word for both.)
struct Features {
#define GPUMINER_FEATURE(name, linux_name, flags, missing) bool name = false;
#include "cpu/isa_list.inc"
    bool cycle_counter = false;

    friend bool operator==(const Features&, const Features&) = default;
};

[[nodiscard]] Features detect_features();

/// A feature that code needs, and why a machine without it cannot run that code.
struct Need {
    bool Features::*feature;  ///< null: none, every CPU runs it
    const char* missing;
};
/// By the names of isa_list.inc.
struct Needs {
    static constexpr Need none() { return {nullptr, ""}; }
#define GPUMINER_FEATURE(name, linux_name, flags, missing) \
    static constexpr Need name() { return {&Features::name, missing}; }
#include "cpu/isa_list.inc"
};

/// On x86-64: "Intel(R) Xeon(R) …", as the CPU calls itself, without spaces around; empty: it does not say. Ends with a
/// zero.
struct CpuModel {
    char text[49];
};
[[nodiscard]] CpuModel read_cpu_model();

}  // namespace gpuminer::cpu
