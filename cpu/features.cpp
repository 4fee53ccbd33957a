#include "cpu/features.hpp"

#include <cpuid.h>

#include <array>
#include <cstdint>
#include <cstring>

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
    features.avx512f = features.avx2 && (leaf7.ebx & bit_AVX512F) != 0 && (saved & kZmm) == kZmm;
    features.avx512bw = features.avx512f && (leaf7.ebx & bit_AVX512BW) != 0;
    features.sha = features.sse41 && (leaf7.ebx & bit_SHA) != 0;
    features.avx2_sha = features.avx2 && features.sha;
    features.avx512vl_sha = features.avx512f && features.sha && (leaf7.ebx & bit_AVX512VL) != 0;
    features.rdtscp = (extended.edx & (1u << 27)) != 0;
    return features;
}

std::string cpu_model() {
    std::array<Leaf, 3> parts;
    for (std::uint32_t i = 0; i < parts.size(); ++i) parts[i] = cpuid(0x80000002 + i);
    std::array<char, sizeof(parts) + 1> text{};
    std::memcpy(text.data(), parts.data(), sizeof(parts));
    const std::string name = text.data();
    const auto first = name.find_first_not_of(' ');
    return first == std::string::npos ? "unknown CPU" : name.substr(first, name.find_last_not_of(' ') - first + 1);
}

}  // namespace gpuminer::cpu
