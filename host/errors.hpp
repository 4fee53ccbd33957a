// The kinds of errors. Each exception carries one plain sentence for the user; main() turns its kind into an exit code.
#pragma once

#include <stdexcept>

namespace gpuminer {

/// Bad usage, input or configuration (exit code 1).
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A limit came before there was anything to do (exit code 3).
struct LimitError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// No device can do the work (exit code 4).
struct NoDeviceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A device could not do its scan; its range is unfinished (the worker hands it to others).
struct DeviceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A server cannot be reached, or refuses the login (exit code 6).
struct NetworkError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace gpuminer
