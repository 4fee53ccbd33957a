// The forms of the search for Linux, compiled by the same compiler with the same flags as BOOTX64.EFI: the reference
// for a run without an operating system.
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
