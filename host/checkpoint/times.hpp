// Intervals between checkpoints.
#pragma once

#include <chrono>

namespace gpuminer {

struct CheckpointTimes {
    std::chrono::milliseconds first{1000};  ///< after the beginning
    std::chrono::milliseconds next{2000};   ///< after the one before
    /// A disk that is slow, or a long list of hits, is written to for a part of the time only: the next pause is at
    /// least so many times as long as the latest writing took.
    int most_of_the_time = 20;
};

}  // namespace gpuminer
