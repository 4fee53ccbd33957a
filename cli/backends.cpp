// The list of the backends in this program; the only place that names them all.
#include <array>

#include "host/devices/devices.hpp"

namespace gpuminer {

// One word in CMake per backend makes these declarations and this list (see GPUMINER_BACKENDS); other algorithms than
// the first have one each (see GPUMINER_ALGORITHMS).
#define GPUMINER_BACKEND(variable) extern const Backend variable;
#define GPUMINER_ALGORITHM(name) extern const Backend k##name##CpuBackend;
#include "gpuminer_algorithms.inc"
#include "gpuminer_backends.inc"
#undef GPUMINER_ALGORITHM
#undef GPUMINER_BACKEND

Backends built_in_backends() {
#define GPUMINER_BACKEND(variable) &(variable),
#define GPUMINER_ALGORITHM(name) &k##name##CpuBackend,
    static constexpr std::array kBackends{
#include "gpuminer_algorithms.inc"
#include "gpuminer_backends.inc"
    };
#undef GPUMINER_ALGORITHM
#undef GPUMINER_BACKEND
    return kBackends;
}

}  // namespace gpuminer
