#include "mpi/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options/header_argument.hpp"
#include "cli/run/signals.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "host/errors.hpp"
#include "mpi/agreement.hpp"
#include "mpi/bench.hpp"
#include "mpi/communicator.hpp"
#include "mpi/search.hpp"
#include "mpi/verify.hpp"

namespace gpuminer::mpi {
namespace {

/// Standard output and error of a rank: only rank 0 prints lines that would be the same on all.
class RankStreams {
public:
    /// Of another rank than the first, standard output is nothing from now on, and standard error is kept until
    /// release() or show().
    explicit RankStreams(bool first);
    ~RankStreams();
    RankStreams(const RankStreams&) = delete;
    RankStreams& operator=(const RankStreams&) = delete;

    /// Standard error is what it was, and what was kept is dropped.
    void release();
    /// The same, but for what was kept: it is shown, with this before it.
    void show(const std::string& name);

private:
    [[nodiscard]] std::string kept() const;

    int standard_error_ = -1;  ///< -1: it is where it was
    int kept_ = -1;
};

RankStreams::RankStreams(bool first) {
    if (first) return;
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) {
        (void)::dup2(nothing, STDOUT_FILENO);
        ::close(nothing);
    }
    kept_ = ::memfd_create("standard error", MFD_CLOEXEC);
    if (kept_ < 0) return;
    standard_error_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    (void)::dup2(kept_, STDERR_FILENO);
}

RankStreams::~RankStreams() { release(); }

void RankStreams::release() {
    if (const int before = std::exchange(standard_error_, -1); before >= 0) {
        (void)::dup2(before, STDERR_FILENO);
        ::close(before);
    }
    if (const int kept = std::exchange(kept_, -1); kept >= 0) ::close(kept);
}

void RankStreams::show(const std::string& name) {
    const std::string text = kept();
    release();
    if (!text.empty()) (void)!::write(STDERR_FILENO, (name + text).data(), name.size() + text.size());
}

std::string RankStreams::kept() const {
    std::string text;
    std::array<char, 4096> piece{};
    for (off_t from = 0; kept_ >= 0;) {
        const ssize_t count = ::pread(kept_, piece.data(), piece.size(), from);
        if (count <= 0) break;
        text.append(piece.data(), static_cast<std::size_t>(count));
        from += count;
    }
    return text;
}

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

/// Collective, in each rank that has read its options. Returns the exit code, on other ranks than 0 that of success:
/// the job's is rank 0's. `begin` is called before agree().
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
