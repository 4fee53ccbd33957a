// Detection of x86-64's CPU features.
#include "cpu/machine/features.hpp"

#include <cpuid.h>

#include <cstdint>

namespace gpuminer::cpu {
namespace {

struct Leaf {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// All zero where the CPU has no such leaf.
Leaf cpuid(std::uint32_t leaf, std::uint32_t subleaf = 0) {
    Leaf result;
    __get_cpuid_count(leaf, subleaf, &result.eax, &result.ebx, &result.ecx, &result.edx);
    return result;
}

/// XCR0: the register sets that the operating system saves for each thread (Intel SDM, XGETBV).
std::uint64_t saved_registers() {
    std::uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
}

}  // namespace

Features detect_features() {
    const Leaf leaf1 = cpuid(1), leaf7 = cpuid(7), extended = cpuid(0x80000001);
    const bool has_xgetbv = (leaf1.ecx & bit_OSXSAVE) != 0;
    const std::uint64_t saved = has_xgetbv ? saved_registers() : 0;
    constexpr std::uint64_t kYmm = 0x06, kZmm = 0xe6;  // XMM and YMM; and opmask, both halves of ZMM

    Features features;
    features.sse41 = (leaf1.ecx & bit_SSE4_1) != 0;
    features.avx2 = (leaf7.ebx & bit_AVX2) != 0 && (saved & kYmm) == kYmm;
    features.avx2_bmi2 = features.avx2 && (leaf7.ebx & bit_BMI) != 0 && (leaf7.ebx & bit_BMI2) != 0;
    features.avx512f = features.avx2 && (leaf7.ebx & bit_AVX512F) != 0 && (saved & kZmm) == kZmm;
    features.avx512bw = features.avx512f && (leaf7.ebx & bit_AVX512BW) != 0;
    features.sha = features.sse41 && (leaf7.ebx & bit_SHA) != 0;
    features.avx2_sha = features.avx2 && features.sha;
    features.avx512vl_sha = features.avx512f && features.sha && (leaf7.ebx & bit_AVX512VL) != 0;
    features.cycle_counter = (extended.edx & (1u << 27)) != 0;
    return features;
}

CpuModel read_cpu_model() {
    char raw[48];
    for (std::uint32_t i = 0; i < 3; ++i) {
        const Leaf part = cpuid(0x80000002 + i);
        __builtin_memcpy(&raw[sizeof(part) * i], &part, sizeof(part));
    }
    std::uint32_t first = 0, end = 0;  // of what is not a space
    for (std::uint32_t i = 0; i < sizeof(raw) && raw[i] != 0; ++i) {
        if (raw[i] == ' ') continue;
        if (end == 0) first = i;
        end = i + 1;
    }
    CpuModel model{};
    for (std::uint32_t i = first; i < end; ++i) model.text[i - first] = raw[i];
    return model;
}

}  // namespace gpuminer::cpu
