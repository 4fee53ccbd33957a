#include "mpi/program.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/commands.hpp"
#include "cli/run/signals.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/terminal.hpp"
#include "mpi/agreement.hpp"
#include "mpi/command.hpp"
#include "mpi/communicator.hpp"
#include "mpi/rank_streams.hpp"

namespace gpuminer::mpi {
namespace {

/// For the command, which run_program() calls by a plain pointer.
struct Job {
    Job(int* argc, char*** argv) : communicator(std::in_place, argc, argv), streams(communicator->is_first()) {}

    std::optional<Communicator> communicator;  ///< until the command has ended
    RankStreams streams;
    bool begun = false;  ///< agree() was called
};
Job* job = nullptr;

constexpr const char* kHelp =
    "gpuminer-mpi: mine, grind, verify and bench over all processes of an MPI job (docs/clusters.md)\n\n"
    "Usage: mpirun -n N gpuminer-mpi COMMAND [options]\n\n"
    "Options are gpuminer's, as below, except --http, --on-… and --webhook; bench has only the workload scan.\n\n";

int run_command_of_rank(const Options& options, SignalThread& signals, const ProgramSetup& setup) {
    do_not_wait_in_vain(*job->communicator, options, signals);
    const int code = run_in_rank(*job->communicator, options, signals, setup, [] {
        job->begun = true;
        job->streams.release();
    });
    job->communicator->set_exit_code(code);
    (void)wait_for_log();
    // Now, as the process may end without more ado where a driver hangs. (All wait in it for rank 0, which has
    // reported.)
    job->communicator.reset();
    return code;
}

}  // namespace

int run_mpi_program(int argc, char** argv, ProgramSetup setup) {
    ignore_terminals();
    block_handled_signals();  // in the threads of MPI, too
    Job this_job(&argc, &argv);
    job = &this_job;
    setup.run = run_command_of_rank;
    setup.help = kHelp;
    const int code = run_program(argc, argv, setup);
    if (this_job.communicator) this_job.communicator->set_exit_code(code);
    if (this_job.begun) return code;
    // This rank failed before starting, or there is nothing to run (--help).
    const Communicator& communicator = *this_job.communicator;
    do_not_wait_in_vain(*this_job.communicator, code);
    const Agreement agreement = agree(*this_job.communicator, {.code = code, .asked = "", .start = ""});
    if (!agreement.difference.empty()) log_error(agreement.difference);
    // Where rank 0 cannot either, it is for the same reason.
    if (!agreement.first_failed) this_job.streams.show(fmt::format("rank {}: ", communicator.rank()));
    if (!communicator.is_first()) return kSuccess;
    return agreement.difference.empty() ? code : kBadInput;
}

}  // namespace gpuminer::mpi
