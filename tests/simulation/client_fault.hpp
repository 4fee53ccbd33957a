// Faults of a Stratum V2 client that a test plants, to prove that the simulator finds them.
#pragma once

#include <cstdint>

namespace gpuminer::simulation {

enum class ClientFault {
    kNone,
    kMinesFutureJobs,     ///< before their block begins
    kSendsAgain,          ///< a share of the connection before, for the job that has its number now
    kSendsStale,          ///< after the block that ended its job
    kJudgesByLastTarget,  ///< shares of the jobs before
    kIgnoresTarget,       ///< that the pool sets
    kKeepsExtranonce,     ///< that the pool has replaced
    kMiscountsBatches,    ///< by one
    kTakesOtherAnswers,   ///< of another channel
};

/// The client under test has it.
struct PlantedFault {
    ClientFault kind = ClientFault::kNone;
    // Of its last session:
    std::uint32_t channel = 0;
    bool has_block = false;
};

}  // namespace gpuminer::simulation
