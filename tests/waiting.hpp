// Waiting in tests, on the threads and the clock of host/threads.hpp: for an event, a condition, a result, or a time.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "host/mutex.hpp"
#include "host/threads.hpp"

namespace gpuminer::test {

using namespace std::chrono_literals;

inline void pass_time(std::chrono::nanoseconds time) {
    Mutex mutex;
    Condition never;
    const MutexLock lock(mutex);
    (void)never.wait_for(mutex, time, [] { return false; });
}

/// Waits without a limit of its own: a busy machine only takes longer.
template <class Predicate>
void wait_until(const Predicate& predicate) {
    while (!predicate()) pass_time(1ms);
}

/// Time in which something that must not happen would happen. A busy machine cannot make it fail.
inline void give_it_a_chance() { pass_time(30ms); }

/// Something that happens once. A copy is the same event.
class Event {
public:
    Event() : state_(std::make_shared<State>()) {}

    void happen() const {
        const MutexLock lock(state_->mutex);
        state_->happened = true;
        state_->changed.notify_all();
    }
    [[nodiscard]] bool has_happened() const {
        const MutexLock lock(state_->mutex);
        return state_->happened;
    }
    void wait() const {
        State& state = *state_;
        const MutexLock lock(state.mutex);
        state.changed.wait(state.mutex, [&state]() GPUMINER_REQUIRES(state.mutex) { return state.happened; });
    }

private:
    struct State {
        Mutex mutex;
        Condition changed;
        bool happened GPUMINER_GUARDED_BY(mutex) = false;
    };
    std::shared_ptr<State> state_;
};

/// The result of a function that runs on a thread of its own.
template <class Function>
class Background {
    using Result = std::invoke_result_t<Function&>;

public:
    explicit Background(Function function)
        : function_(std::move(function)), thread_([this] {
              try {
                  result_ = function_();
              } catch (...) {
                  error_ = std::current_exception();
              }
              ended_.happen();
          }) {}
    ~Background() {
        if (thread_.joinable()) thread_.join();
    }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    [[nodiscard]] bool ended() const { return ended_.has_happened(); }
    [[nodiscard]] Result get() {
        thread_.join();
        if (error_) std::rethrow_exception(error_);
        return std::move(*result_);
    }

private:
    Function function_;
    std::optional<Result> result_;
    std::exception_ptr error_;
    const Event ended_;
    threads::Thread thread_;
};

}  // namespace gpuminer::test
