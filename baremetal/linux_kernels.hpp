// The forms of the search for Linux, by the compiler and with the flags that BOOTX64.EFI is made with: what a run
// without an operating system is compared with.
#pragma once

#include <cstddef>

#include "cpu/isa_forms.hpp"

namespace gpuminer::baremetal {

struct LinuxKernels {
    const cpu::Isa* forms = nullptr;
    std::size_t count = 0;      ///< of forms; 0: this build had no clang++ or no lld-link
    const char* compiler = "";  ///< "Debian Clang 14.0.6"
    const char* flags = "";     ///< without those of the instruction sets
};
[[nodiscard]] LinuxKernels linux_kernels();

}  // namespace gpuminer::baremetal
