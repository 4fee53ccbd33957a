// The list of the backends in this program; the only place that names them all.
#include <array>

#include "host/devices/devices.hpp"

namespace gpuminer {

// For VerusHash there is one.
extern const Backend kVerusHashCpuBackend;
// One word in CMake per backend makes these declarations and this list (see GPUMINER_BACKENDS).
#define GPUMINER_BACKEND(variable) extern const Backend variable;
#include "gpuminer_backends.inc"
#undef GPUMINER_BACKEND

Backends built_in_backends() {
#define GPUMINER_BACKEND(variable) &(variable),
    static constexpr std::array kBackends{
#include "gpuminer_backends.inc"
        &kVerusHashCpuBackend,
    };
#undef GPUMINER_BACKEND
    return kBackends;
}

}  // namespace gpuminer
