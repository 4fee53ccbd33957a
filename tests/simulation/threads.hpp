// The simulator's threads and clock, for sources that are compiled with GPUMINER_SIMULATED_THREADS (host/threads.hpp).
#pragma once
#pragma GCC system_header  // as the one that it replaces: clang follows locks as far as host/mutex.hpp

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>

#include "tests/simulation/scheduler.hpp"

namespace gpuminer::threads {

class Mutex {
public:
    Mutex() = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;
    ~Mutex() {
        if (locked_) simulation::Scheduler::current().fail("a mutex was destroyed while a thread held it");
    }

    void lock() {
        auto& scheduler = simulation::Scheduler::current();
        scheduler.pass();
        if (locked_ && owner_ == scheduler.self()) scheduler.fail("a thread locks a mutex that it holds");
        while (locked_) scheduler.wait(this);
        locked_ = true;
        owner_ = scheduler.self();
    }
    void unlock() {
        auto& scheduler = simulation::Scheduler::current();
        if (!locked_ || owner_ != scheduler.self()) scheduler.fail("a thread unlocks a mutex that it does not hold");
        locked_ = false;
        scheduler.wake_all(this);
    }

private:
    bool locked_ = false;
    const void* owner_ = nullptr;
};

/// Wakes up without a reason now and then, as it may.
class Condition {
public:
    ~Condition() {
        if (simulation::Scheduler::current().awaited(this))
            simulation::Scheduler::current().fail("a condition was destroyed while a thread waited for it");
    }
    Condition() = default;
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    void notify_one() { simulation::Scheduler::current().wake_one(this); }
    void notify_all() { simulation::Scheduler::current().wake_all(this); }

    template <class Lock, class Predicate>
    void wait(Lock& lock, Predicate predicate) {
        while (!predicate()) sleep(lock, std::nullopt);
    }
    template <class Lock, class Clock, class Duration>
    void wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> time) {
        sleep(lock, time);
    }
    template <class Lock, class Clock, class Duration, class Predicate>
    bool wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> time, Predicate predicate) {
        while (!predicate()) {
            if (!sleep(lock, time)) return predicate();
        }
        return true;
    }
    template <class Lock, class Rep, class Period, class Predicate>
    bool wait_for(Lock& lock, std::chrono::duration<Rep, Period> time, Predicate predicate) {
        return wait_until(lock, simulation::Scheduler::current().now() + time, std::move(predicate));
    }

    /// Ends early when a stop is requested.
    template <class Lock, class Rep, class Period, class Predicate>
    bool wait_for(Lock& lock, const std::stop_token& stop, std::chrono::duration<Rep, Period> time,
                  Predicate predicate) {
        const std::stop_callback wake(stop, [this] { notify_all(); });
        (void)wait_for(lock, time, [&] { return stop.stop_requested() || predicate(); });
        return predicate();
    }

private:
    template <class Lock>
    bool sleep(Lock& lock, std::optional<simulation::Time> until) {
        auto& scheduler = simulation::Scheduler::current();
        const bool for_no_reason = scheduler.random().one_in(64);
        lock.unlock();  // no other thread goes on in there
        const bool woken = for_no_reason || scheduler.wait(this, until);
        lock.lock();
        return woken;
    }
};

class Thread {
public:
    Thread() = default;
    template <class Body>
    requires(!std::is_same_v<std::remove_cvref_t<Body>, Thread>) explicit Thread(Body body) {
        auto& scheduler = simulation::Scheduler::current();
        scheduler.pass();
        if (scheduler.thread_fails())
            throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
        task_ = scheduler.start(std::move(body));
    }
    Thread(Thread&&) noexcept = default;
    Thread& operator=(Thread&& other) noexcept {
        if (task_)
            simulation::Scheduler::current().fail("a thread's object is lost that was neither joined nor detached");
        task_ = std::move(other.task_);
        return *this;
    }
    ~Thread() {
        if (task_)
            simulation::Scheduler::current().fail("a thread's object is lost that was neither joined nor detached");
    }

    [[nodiscard]] bool joinable() const { return task_ != nullptr; }
    void join() {
        simulation::Scheduler::current().join(task_);
        task_.reset();
    }
    void detach() { task_.reset(); }

private:
    std::shared_ptr<simulation::Scheduler::Task> task_;
};

/// As std::jthread.
class JoiningThread {
public:
    JoiningThread() = default;
    template <class Body>
    requires(!std::is_same_v<std::remove_cvref_t<Body>, JoiningThread>) explicit JoiningThread(Body body)
        : thread_([body = std::move(body), stop = stop_.get_token()]() mutable { body(stop); }) {}
    JoiningThread(JoiningThread&&) noexcept = default;
    JoiningThread& operator=(JoiningThread&& other) noexcept {
        end();
        stop_ = std::move(other.stop_);
        thread_ = std::move(other.thread_);
        return *this;
    }
    ~JoiningThread() { end(); }

private:
    void end() {
        if (!thread_.joinable()) return;
        stop_.request_stop();
        thread_.join();
    }

    std::stop_source stop_;
    Thread thread_;
};

struct Clock {
    using duration = std::chrono::steady_clock::duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = simulation::Time;
    static constexpr bool is_steady = true;
    static time_point now() { return simulation::Scheduler::current().now(); }
};

}  // namespace gpuminer::threads
