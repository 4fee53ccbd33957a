// The commands. Each returns its exit code and lets exceptions pass: InputError, NoDeviceError,
// NetworkError.
#pragma once

#include <functional>
#include <string>

#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/signals.hpp"
#include "host/block/header.hpp"

namespace gpuminer::bench {
class Ranks;
}

namespace gpuminer {

/// The exit codes that scripts rely on.
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

/// The command that the options name.
[[nodiscard]] int run_command(const Options& options, SignalThread& signals, const ProgramSetup& setup);
/// `begin`: called once it is known that what the user asks for can be done; returns who measures (MPI). Empty: this
/// process alone does.
[[nodiscard]] int run_bench(const Options& options, SignalThread& signals,
                            const std::function<bench::Ranks&()>& begin = {});
[[nodiscard]] int run_compare(const Options& options);

[[nodiscard]] int run_journal(const Options& options);

[[nodiscard]] int run_pool(const Options& options, SignalThread& signals, const ProgramSetup& setup);
[[nodiscard]] int run_solo(const Options& options, SignalThread& signals, const ProgramSetup& setup);

struct VerifiedText {
    std::string text;  ///< as printed
    bool valid = false;
};
/// What verify makes of one header: of `several`, a JSON document on one line; one that `follows` another is set apart.
[[nodiscard]] VerifiedText verify_one(const Options& options, const HeaderInput& header, bool several, bool follows);

/// mine, grind, and the embedded job.
[[nodiscard]] int run_search(const Options& options, SignalThread& signals, const ProgramSetup& setup);

/// For ProgressOptions: what is asked with --pause-on-battery; empty without.
[[nodiscard]] std::function<bool()> battery_watch(const Options& options, const ProgramSetup& setup);

}  // namespace gpuminer
