// A processor in place of baremetal/processor.cpp, whose registers are an operating system's.
#include "tests/baremetal/fake_processor.hpp"
#include "baremetal/processor.hpp"
#include "cpu/machine/cycle_counter.hpp"

namespace gpuminer::baremetal {

void enable_vector_registers() {
    if (processor_hangs) throw ProcessorHangs();
}
bool interrupts_open() { return true; }
InterruptMask::InterruptMask(bool /*mask*/) {}
InterruptMask::~InterruptMask() { restore_ = false; }
void call_on_stack(void (*function)(void*), void* argument, void* /*top*/) { function(argument); }
HypervisorName hypervisor_name() { return {}; }
bool have_rdtscp() { return true; }
std::uint64_t read_counter() { return read_cycle_counter(); }
std::uint64_t stated_counter_hz() { return processor_hz; }

}  // namespace gpuminer::baremetal
