// CallGate: the calls to a node that has said that it is too busy, one at a time.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "net/steady_time.hpp"

namespace gpuminer::net {

/// Shared by all that call the node, on one event loop's thread.
class CallGate {
public:
    /// Where the node has been too busy within the last minute, calls wait until no other is under way, but not for
    /// ever: a block must not be late for a call that hangs.
    static constexpr std::chrono::seconds kLongestWait{5};

    /// Whether a call may begin.
    [[nodiscard]] bool open() const;
    void enter() { ++under_way_; }
    /// After each call that entered. May run tasks that wait.
    void leave();
    /// Runs `task` once, when the gate opens, unless forget() comes first. `who` is its name here.
    void wait(const void* who, std::function<void()> task) { waiting_.emplace_back(who, std::move(task)); }
    void forget(const void* who);
    void note_busy();

private:
    unsigned under_way_ = 0;
    SteadyTime busy_until_{};
    std::deque<std::pair<const void*, std::function<void()>>> waiting_;
};

}  // namespace gpuminer::net
