// CallGate: the calls to a node that has said that it is too busy, one at a time.
#pragma once

#include <chrono>
#include <stop_token>

#include "host/mutex.hpp"

namespace gpuminer::net {

/// Shared by all that call the node. From any thread.
class CallGate {
public:
    using Clock = std::chrono::steady_clock;

    /// Before a call. Where the node has been too busy within the last minute, it waits until no other call is under
    /// way, but not for ever: a block must not be late for a call that hangs. False: a stop is requested.
    [[nodiscard]] bool enter(const std::stop_token& stop);
    /// After each call that entered.
    void leave();
    void note_busy();

private:
    Mutex mutex_;
    Condition changed_;
    unsigned under_way_ GPUMINER_GUARDED_BY(mutex_) = 0;
    Clock::time_point busy_until_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer::net
