// Event loop of one thread: tasks, timers and sockets, one after the other, none of them at the same time as another.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace gpuminer::net {

class EventLoop {
public:
    using Task = std::function<void()>;
    /// Posts to a loop from any thread; does nothing when the loop is gone.
    using Poster = std::function<void(Task)>;

    EventLoop();
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    /// Runs tasks until stop(), on the calling thread.
    void run();
    // From any thread:
    void stop();
    void post(Task task);
    [[nodiscard]] Poster poster() const;

    /// For those that own sockets; on the loop's thread.
    [[nodiscard]] boost::asio::io_context& context();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

/// Runs one task later; on the loop's thread only. Not run any more after cancel(), another start() or its end.
class Timer {
public:
    explicit Timer(EventLoop& loop);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    void start(std::chrono::milliseconds after, EventLoop::Task task);
    void cancel();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace gpuminer::net
