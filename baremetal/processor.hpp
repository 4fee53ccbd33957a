// The processor that the code runs on: its vector registers, its interrupts, its counter.
#pragma once

#include <cstdint>

namespace gpuminer::baremetal {

/// Lets the processor use all vector registers that it has. Firmware leaves CR4.OSXSAVE and XCR0 clear, and then the
/// first AVX instruction faults. Each processor has its own, and may lose them whenever the firmware starts it anew.
void enable_vector_registers();

/// Whether this processor takes maskable interrupts now. (Of the processors that EDK II starts, none does.)
[[nodiscard]] bool interrupts_open();

/// Maskable interrupts wait as long as this lives, if it is asked to mask them.
class InterruptMask {
public:
    explicit InterruptMask(bool mask);
    ~InterruptMask();
    InterruptMask(const InterruptMask&) = delete;
    InterruptMask& operator=(const InterruptMask&) = delete;

private:
    bool restore_ = false;
};

/// Calls it with a stack that ends at `top` (a multiple of 16): the firmware's own for each processor are of 32 KiB,
/// and blocks of wide vectors take more.
void call_on_stack(void (*function)(void*), void* argument, void* top);

/// The hypervisor's signature, such as "KVMKVMKVM"; empty on bare metal, as far as the processor says.
struct HypervisorName {
    char text[13] = {};
};
[[nodiscard]] HypervisorName hypervisor_name();

/// The time stamp counter, read after every earlier instruction is done: with rdtscp, or, on the few processors without
/// it, with lfence and rdtsc.
[[nodiscard]] std::uint64_t read_counter();
[[nodiscard]] bool have_rdtscp();

/// Cycles per second of the time stamp counter as cpuid leaf 15h states it; 0: it does not.
[[nodiscard]] std::uint64_t stated_counter_hz();

}  // namespace gpuminer::baremetal
