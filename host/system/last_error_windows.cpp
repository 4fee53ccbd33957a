#include "host/system/last_error.hpp"

#include <windows.h>

#include <cerrno>
#include <system_error>

namespace gpuminer {

int errno_of_last_error() {
    const DWORD error = GetLastError();
    if (error == ERROR_SHARING_VIOLATION) return EACCES;  // as the C library has it
    const std::error_condition known = std::system_category().default_error_condition(static_cast<int>(error));
    return known.category() == std::generic_category() ? known.value() : EIO;
}

}  // namespace gpuminer
