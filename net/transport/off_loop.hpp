// OffLoop: computations that would hold up an event loop, on threads of their own.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "net/transport/event_loop.hpp"

namespace gpuminer::net {

/// On the loop's thread.
class OffLoop {
public:
    /// The loop has to outlive it.
    explicit OffLoop(EventLoop& loop);
    /// Requests a stop of all computations, and waits for them.
    ~OffLoop();
    OffLoop(const OffLoop&) = delete;
    OffLoop& operator=(const OffLoop&) = delete;

    /// Runs on another thread; the task that it returns then runs on the loop. Throws nothing.
    using Computation = std::function<EventLoop::Task(const std::stop_token&)>;
    /// Each has its own thread, so that a short one never waits for a long one. Where no thread can be started, it runs
    /// on the loop.
    void run(const Computation& computation);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gpuminer::net
