// Start and abort protocol: all ranks start, or none.
#pragma once

#include <functional>
#include <string>

#include "cli/options/options.hpp"
#include "cli/run/signals.hpp"
#include "mpi/communicator.hpp"

namespace gpuminer::mpi {

struct Agreement {
    bool first_failed = false;  ///< rank 0 is one of those that cannot begin
    bool failed = false;        ///< some rank cannot, or is asked for something else than rank 0
    std::string difference;     ///< the latter, as a sentence; at rank 0
    std::string start;          ///< what rank 0 says to all; empty: nothing is to be begun
};
/// What a rank has to say before it begins.
struct Readiness {
    int code = 0;       ///< its exit code, where it cannot
    std::string asked;  ///< what its options ask of the job: asked_of(); empty: nothing
    std::string start;  ///< rank 0's
};
/// Whether all ranks can begin, and with the same, which each says once. Collective, also for one that cannot.
[[nodiscard]] Agreement agree(Communicator& communicator, const Readiness& readiness);

/// The options that make up the job, as JSON; those of devices and messages are each rank's own.
[[nodiscard]] std::string asked_of(const Options& options);

/// Calls `begin`, then agree(), in a rank that can begin. Returns rank 0's start; empty: nothing is to be begun, as
/// some rank cannot. Then it throws InputError in rank 0.
[[nodiscard]] std::string begin_together(Communicator& communicator, const Options& options,
                                         const std::function<void()>& begin, const std::string& start);

/// From now on the job is ended where ranks do not answer long after a signal to this one, or, at rank 0, long after
/// the limit: before all have begun, and by rank 0 afterwards, too.
void do_not_wait_in_vain(Communicator& communicator, const Options& options, const SignalThread& signals);
/// Of rank 0 that has ended with this exit code before all have begun: it waits as long as kPatience for others.
void do_not_wait_in_vain(Communicator& communicator, int exit_code);

/// What goes wrong with one rank in the middle ends the job, as the others would wait for it: an exception is reported,
/// and does not come back. But for NoDeviceError, which is of all ranks, when all have ended.
int or_end_the_job(Communicator& communicator, const std::function<int()>& action);

}  // namespace gpuminer::mpi
