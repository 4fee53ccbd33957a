// Tests of the choice of ISA that are x86-64's alone.
#include <cpuid.h>

#include <iostream>

#include "cpu/form_choice.hpp"
#include "random_headers.hpp"
#include "scan_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

/// The register sets that hold something (Intel SDM, XGETBV with ECX = 1); bit 2: upper halves of YMM registers.
std::uint64_t registers_in_use() {
    std::uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return std::uint64_t{high} << 32 | low;
}

bool has_xgetbv1() {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & 4) != 0;
}

std::uint64_t in_use_during_scan = 0;
void look(cpu::ScanArguments& arguments) {
    in_use_during_scan = registers_in_use();
    arguments.scanned_by = "look";
}

}  // namespace

TEST_CASE("code begins with empty upper halves of the vector registers, which would slow it down") {
    constexpr std::uint64_t kUpperHalves = 4;
    if (!__builtin_cpu_supports("avx") || !has_xgetbv1()) {
        std::cout << "SKIPPED: this CPU has no upper halves, or does not say whether they hold something" << std::endl;
        return;
    }
    const Sha256dJob job = job_of(random_headers(1, 32).front(), {1}, 0);
    const cpu::Isa isa{"look", "looks", look, nullptr, ""};
    asm volatile("vcmptrueps %%ymm0, %%ymm0, %%ymm0" : : : "xmm0");
    std::array<Candidate, 1> none;
    (void)cpu::scan(isa, job, {0, 1}, none);
    CHECK((in_use_during_scan & kUpperHalves) == 0);
}

TEST_CASE("where nothing was timed, SHA instructions are not woven with 256-bit vectors") {
    // On AMD's Zen 3 that is 150 to 200 times slower than SHA instructions alone.
    const cpu::Features zen3{.sse41 = true, .avx2 = true, .sha = true, .avx2_sha = true};
    CHECK(cpu::fastest_of(cpu::usable_forms("auto", zen3), std::nullopt).name == std::string("shani"));
}

TEST_CASE("each ISA of x86-64 needs its own feature") {
    CHECK(cpu::find_isa("sse41")->needs == &cpu::Features::sse41);
    CHECK(cpu::find_isa("avx2")->needs == &cpu::Features::avx2);
    CHECK(cpu::find_isa("avx512")->needs == &cpu::Features::avx512f);
    CHECK(cpu::find_isa("shani")->needs == &cpu::Features::sha);
    CHECK(cpu::find_isa("avx2+shani")->needs == &cpu::Features::avx2_sha);
    CHECK(cpu::find_isa("avx512+shani")->needs == &cpu::Features::avx512vl_sha);
}
