// The exit codes that scripts rely on.
#pragma once

namespace gpuminer {

enum ExitCode : int {
    kSuccess = 0,
    kBadInput = 1,    ///< usage, input, configuration, or a standard output that cannot be written
    kNotFound = 2,    ///< everything searched; verify: the header does not meet the target; bench: slower than asked
    kUnfinished = 3,  ///< stopped by a limit
    kNoDevice = 4,
    kDeviceFailed = 5,
    kServerUnreachable = 6,  ///< or the login refused
    kClosedPipe = 141,       ///< nobody reads standard output any more: as a shell reports SIGPIPE
    kStoppedBySignal = 128,  ///< plus the signal's number: 130, 143
};

}  // namespace gpuminer
