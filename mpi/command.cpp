#include "mpi/command.hpp"

#include <algorithm>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options/header_argument.hpp"
#include "cli/terminal/output.hpp"
#include "host/errors.hpp"
#include "mpi/agreement.hpp"
#include "mpi/bench.hpp"
#include "mpi/search.hpp"
#include "mpi/verify.hpp"

namespace gpuminer::mpi {
namespace {

void refuse_what_is_not_there(const Options& options) {
    if (options.view.any()) throw InputError("gpuminer-mpi has no --http, --on-… and --webhook; gpuminer has");
}

int run_verify(Communicator& communicator, const Options& options, const std::function<void()>& begin) {
    std::vector<HeaderInput> headers;
    if (communicator.is_first()) headers = read_headers_of(options);
    const bool several = headers.size() > 1;
    // Up to the first header that there is nothing to say of but what is wrong with it. A whole block is read here.
    const auto end = std::ranges::find_if(
        headers, [](const HeaderInput& header) { return !header.has_nonce || !header.transactions.empty(); });
    const std::vector<HeaderInput> rest(end, headers.end());
    headers.erase(end, headers.end());
    if (begin_together(communicator, options, begin, "verify").empty()) return kSuccess;
    const int code = or_end_the_job(communicator, [&]() -> int {
        if (communicator.is_first()) return lead_verify(communicator, options, headers, several) ? kSuccess : kNotFound;
        follow_verify(communicator, options);
        return kSuccess;
    });
    if (rest.empty()) return code;
    const VerifiedText verified =
        verify_one(options, rest.front(), several, false);  // throws InputError but for a block
    Output output;
    output.write(verified.text);
    output.finish();
    return verified.valid ? kSuccess : kNotFound;
}

int run_search(Communicator& communicator, const Options& options, SignalThread& signals, const ProgramSetup& setup,
               const std::function<void()>& begin) {
    if (communicator.is_first()) return lead_searches(communicator, options, signals, setup, begin);
    follow_searches(communicator, options, signals, setup, begin);
    return kSuccess;
}

int run_bench(Communicator& communicator, const Options& options, SignalThread& signals,
              const std::function<void()>& begin) {
    if (communicator.is_first()) return lead_bench(communicator, options, signals, begin);
    follow_bench(communicator, options, signals, begin);
    return kSuccess;
}

}  // namespace

int run_in_rank(Communicator& communicator, const Options& options, SignalThread& signals, const ProgramSetup& setup,
                const std::function<void()>& begin) {
    refuse_what_is_not_there(options);
    switch (options.command.value_or(Command::kMine)) {
        case Command::kMine:
        case Command::kGrind: return run_search(communicator, options, signals, setup, begin);
        case Command::kBench: return run_bench(communicator, options, signals, begin);
        case Command::kVerify: return run_verify(communicator, options, begin);
        default:
            throw InputError(
                "gpuminer-mpi: expected the command mine, grind, bench or verify; gpuminer has the others");
    }
}

}  // namespace gpuminer::mpi
