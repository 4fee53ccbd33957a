// The commands. Each returns its exit code and lets exceptions pass: InputError, NoDeviceError,
// NetworkError.
#pragma once

#include <functional>
#include <string>

#include "cli/options/options.hpp"
#include "cli/run/exit_codes.hpp"
#include "cli/run/setup.hpp"
#include "cli/run/signals.hpp"
#include "host/block/header.hpp"

namespace gpuminer::bench {
class Ranks;
}

namespace gpuminer {

/// The command that the options name.
[[nodiscard]] int run_command(const Options& options, SignalThread& signals, const ProgramSetup& setup);
/// `begin`: called once it is known that what the user asks for can be done; returns who measures (MPI). Empty: this
/// process alone does.
[[nodiscard]] int run_bench(const Options& options, SignalThread& signals,
                            const std::function<bench::Ranks&()>& begin = {});
[[nodiscard]] int run_compare(const Options& options);

[[nodiscard]] int run_journal(const Options& options);

/// Needs no options but those of the table.
[[nodiscard]] int run_config(const Arguments& arguments, const ProgramSetup& setup);

/// pair, status, pause, resume.
[[nodiscard]] int run_control(const Options& options);

[[nodiscard]] int run_pool(const Options& options, SignalThread& signals, const ProgramSetup& setup);
/// `pool --probe`.
[[nodiscard]] int run_probe(const Options& options);
[[nodiscard]] int run_solo(const Options& options, SignalThread& signals, const ProgramSetup& setup);

struct VerifiedText {
    std::string text;  ///< as printed
    bool valid = false;
};
/// What verify makes of one header: of `several`, a JSON document on one line; one that `follows` another is set apart.
[[nodiscard]] VerifiedText verify_one(const Options& options, const HeaderInput& header, bool several, bool follows);

/// mine, grind, and the embedded job.
[[nodiscard]] int run_search(const Options& options, SignalThread& signals, const ProgramSetup& setup);

}  // namespace gpuminer
