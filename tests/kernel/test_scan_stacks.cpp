// Tests of every ISA's forms from stacks that begin at any multiple of 16 bytes, as Windows' may: code that takes more
// for granted crashes there.
#include <cstddef>

#include "scan_tools.hpp"
#include "tests/real_headers.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

/// With so many bytes more of the stack in use.
[[gnu::noinline]] Keys scan_with(std::size_t used, const cpu::Isa& form, const Sha256dJob& job, NonceRange range) {
    void* const bytes = __builtin_alloca(used + 16);
    asm volatile("" : : "r"(bytes) : "memory");
    return scan_form(form, job, range);
}

}  // namespace

TEMPLATE_TEST_CASE("every form finds the same wherever its stack begins", "", GPUMINER_EVERY_ISA) {
    const cpu::Isa* const isa = isa_here(TestType::kName);
    if (isa == nullptr) return;
    const BlockHeader header = load_real_headers().front().header;
    const Versions versions = some_versions(8);
    constexpr NonceRange kRange{1'000'003, 131};
    constexpr std::uint32_t kHalf = 0x7fffffff;
    const Oracle oracle(header, versions, kRange);
    for (const cpu::Isa& form : cpu::isa_forms()) {
        if (form.name != std::string(isa->name)) continue;
        for (const std::size_t used : {0, 16, 32, 48}) {
            INFO(form.name << ", " << form.description << ", " << used << " bytes");
            for (const std::uint32_t count : {1, 8}) {
                const Sha256dJob job = job_of(header, Versions(versions.begin(), versions.begin() + count), kHalf);
                REQUIRE(scan_with(used, form, job, kRange) == oracle.keys(count, kRange, kHalf));
            }
        }
    }
}
