// Register numbers and bits: Intel SDM, volume 3, 2.5 and 2.6 (CR0, CR4, XCR0), volume 2, CPUID.
#include "baremetal/processor.hpp"

#include <cpuid.h>

#include "cpu/machine/cycle_counter.hpp"

namespace gpuminer::baremetal {
namespace {

struct Leaf {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// All zero where the processor has no such leaf.
Leaf cpuid(std::uint32_t leaf) {
    Leaf result;
    __get_cpuid_count(leaf, 0, &result.eax, &result.ebx, &result.ecx, &result.edx);
    return result;
}

std::uint64_t read_xcr0() {
    std::uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
}

void write_xcr0(std::uint64_t value) {
    asm volatile("xsetbv"
                 :
                 : "a"(static_cast<std::uint32_t>(value)), "d"(static_cast<std::uint32_t>(value >> 32)), "c"(0));
}

}  // namespace

void enable_vector_registers() {
    constexpr std::uint64_t kMonitorCoprocessor = 1u << 1, kEmulation = 1u << 2, kTaskSwitched = 1u << 3;  // CR0
    constexpr std::uint64_t kFxsr = 1u << 9, kSimdExceptions = 1u << 10, kXsave = 1u << 18;                // CR4
    std::uint64_t cr0 = 0, cr4 = 0;
    asm volatile("mov %%cr0, %0" : "=r"(cr0));
    asm volatile("mov %0, %%cr0" : : "r"((cr0 | kMonitorCoprocessor) & ~(kEmulation | kTaskSwitched)) : "memory");
    asm volatile("mov %%cr4, %0" : "=r"(cr4));
    const bool has_xsave = (cpuid(1).ecx & bit_XSAVE) != 0;
    asm volatile("mov %0, %%cr4" : : "r"(cr4 | kFxsr | kSimdExceptions | (has_xsave ? kXsave : 0)) : "memory");
    if (!has_xsave) return;

    constexpr std::uint64_t kX87AndSse = 0x03, kAvx = 0x04, kAvx512 = 0xe0;
    const std::uint64_t supported = cpuid(0xd).eax;  // the low half has all that is wanted here
    std::uint64_t wanted = read_xcr0() | kX87AndSse | (supported & kAvx);
    if ((wanted & kAvx) != 0 && (supported & kAvx512) == kAvx512) wanted |= kAvx512;  // all three or none
    write_xcr0(wanted);
    // Code for SSE would keep what is in the upper halves, and so wait for it with every instruction.
    if ((wanted & kAvx) != 0) asm volatile("vzeroupper");
}

bool interrupts_open() {
    constexpr std::uint64_t kInterruptFlag = 1u << 9;
    std::uint64_t flags = 0;
    asm volatile("pushfq\n\tpopq %0" : "=r"(flags) : : "memory");
    return (flags & kInterruptFlag) != 0;
}

InterruptMask::InterruptMask(bool mask) : restore_(mask && interrupts_open()) {
    if (restore_) asm volatile("cli" : : : "memory");
}

InterruptMask::~InterruptMask() {
    if (restore_) asm volatile("sti" : : : "memory");
}

// Microsoft's calling convention: arguments in rcx, rdx, r8; 32 bytes above the return address are the callee's.
__attribute__((naked)) void call_on_stack(void (* /*function*/)(void*), void* /*argument*/, void* /*top*/) {
    asm("push %rbp\n\t"
        "mov %rsp, %rbp\n\t"
        "mov %r8, %rsp\n\t"
        "sub $32, %rsp\n\t"
        "mov %rcx, %rax\n\t"
        "mov %rdx, %rcx\n\t"
        "call *%rax\n\t"
        "mov %rbp, %rsp\n\t"
        "pop %rbp\n\t"
        "ret");
}

HypervisorName hypervisor_name() {
    HypervisorName name;
    constexpr std::uint32_t kHypervisorPresent = 1u << 31;
    if ((cpuid(1).ecx & kHypervisorPresent) == 0) return name;
    Leaf leaf;
    __cpuid(0x40000000, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);  // beyond what the highest leaf of leaf 0 tells
    __builtin_memcpy(name.text, &leaf.ebx, 12);
    if (name.text[0] == 0) __builtin_memcpy(name.text, "unknown", 8);
    return name;
}

bool have_rdtscp() {
    constexpr std::uint32_t kRdtscp = 1u << 27;
    static const bool have = (cpuid(0x80000001).edx & kRdtscp) != 0;
    return have;
}

std::uint64_t read_counter() {
    if (have_rdtscp()) return read_cycle_counter();
    std::uint32_t low = 0, high = 0;
    asm volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
    return std::uint64_t{high} << 32 | low;
}

std::uint64_t stated_counter_hz() {
    const Leaf leaf = cpuid(0x15);
    if (leaf.eax == 0 || leaf.ebx == 0 || leaf.ecx == 0) return 0;
    return std::uint64_t{leaf.ecx} * leaf.ebx / leaf.eax;
}

}  // namespace gpuminer::baremetal
