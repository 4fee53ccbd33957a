// Virtual time for what runs on one event loop: tasks in the order of their times.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "net/steady_time.hpp"

namespace gpuminer::simulation {

class VirtualTime {
public:
    using Task = std::function<void()>;

    VirtualTime();
    ~VirtualTime();
    VirtualTime(const VirtualTime&) = delete;
    VirtualTime& operator=(const VirtualTime&) = delete;
    /// The one that is there; one at a time.
    [[nodiscard]] static VirtualTime& current();

    [[nodiscard]] net::SteadyTime now() const { return now_; }
    /// Not before now. Tasks of one time run in the order in which they came.
    void at(net::SteadyTime time, Task task);
    void after(std::chrono::nanoseconds pause, Task task) { at(now_ + pause, std::move(task)); }
    /// Runs the next task, if it is due by `last`. False: there is none; then it is `last`.
    bool run_next(net::SteadyTime last);
    [[nodiscard]] std::uint64_t tasks() const { return count_; }

private:
    net::SteadyTime now_{std::chrono::hours(1)};
    std::multimap<net::SteadyTime, Task> queue_;
    std::uint64_t count_ = 0;
};

}  // namespace gpuminer::simulation
