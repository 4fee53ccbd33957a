#include "baremetal/linux_kernels.hpp"

namespace gpuminer::baremetal {

LinuxKernels linux_kernels() {
#ifdef GPUMINER_BY_CLANG  // then the functions in the table have names of their own (CMakeLists.txt)
    return {cpu::kIsaForms, sizeof(cpu::kIsaForms) / sizeof(cpu::kIsaForms[0]), __VERSION__, GPUMINER_FLAGS};
#else
    return {};
#endif
}

}  // namespace gpuminer::baremetal
