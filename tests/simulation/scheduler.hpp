// Scheduler of simulated threads. One runs at a time, the next one is chosen at random from a seed, and the clock goes
// on when all wait. The same seed gives the same schedule.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/simulation/fiber.hpp"
#include "tests/simulation/random.hpp"

namespace gpuminer::simulation {

using Time = std::chrono::steady_clock::time_point;

/// What a schedule must not do: a deadlock, an invariant that does not hold. In words.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Scheduler {
public:
    struct Limits {
        std::uint64_t switches = 2'000'000;  ///< more of them: it never ends
        std::chrono::hours time{12};         ///< virtual
        bool every_thread_starts = false;    ///< else the system now and then has none to give
    };

    explicit Scheduler(std::uint64_t seed) : Scheduler(seed, Limits{}) {}
    Scheduler(std::uint64_t seed, const Limits& limits);
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// The one that is there; one at a time.
    [[nodiscard]] static Scheduler& current();

    /// Runs `first` as a thread, and all that it starts, to their ends. Throws the first Failure.
    void run(std::function<void()> first);
    [[nodiscard]] std::uint64_t switches() const { return switches_; }
    [[nodiscard]] Random& random() { return random_; }
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] bool thread_fails() { return !limits_.every_thread_starts && random_.one_in(500); }

    // For simulated threads:
    class Task;
    [[nodiscard]] std::shared_ptr<Task> start(std::function<void()> body);
    void join(const std::shared_ptr<Task>& task);
    [[nodiscard]] const Task* self() const { return running_; }
    /// Another thread may go on here.
    void pass();
    /// Waits for wake() with this object, `until` at the longest. False: that time has come.
    bool wait(const void* object, std::optional<Time> until = std::nullopt);
    void wake_all(const void* object);
    void wake_one(const void* object);
    /// Whether one waits for this object.
    [[nodiscard]] bool awaited(const void* object) const;
    /// The next time for which another thread waits.
    [[nodiscard]] std::optional<Time> next_time() const;
    void sleep_until(Time time) { wait(nullptr, time); }
    void sleep(std::chrono::nanoseconds time) { sleep_until(now_ + time); }
    /// Ends the schedule: run() throws it.
    [[noreturn]] void fail(const std::string& why);

private:
    void go_on_with(Task& next);
    [[nodiscard]] Task* choose_next();
    [[nodiscard]] bool advance_time();

    const Limits limits_;
    Random random_;
    const std::uint64_t pass_rarely_;  // another thread goes on at one of so many calls of pass()
    Time now_{std::chrono::hours(1)};
    std::uint64_t switches_ = 0;
    std::optional<std::string> failure_;

    Fiber outside_;
    std::vector<std::shared_ptr<Task>> tasks_;  // that have not ended
    std::vector<std::shared_ptr<Task>> ended_;  // until run() returns: one of them may be what runs
    std::vector<Task*> ready_;                  // of choose_next(), to save allocations
    Task* running_ = nullptr;
};

}  // namespace gpuminer::simulation
