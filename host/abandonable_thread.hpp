// A thread that may hang in a driver or a file system: its owner waits for it for a while, then abandons it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "host/mutex.hpp"
#include "host/threads.hpp"

namespace gpuminer {

namespace detail {
inline std::atomic<bool> thread_abandoned = false;
}

/// From now on this process ends by _exit(): without running the destructors of libraries, which an abandoned thread
/// may still use.
inline void note_abandoned_thread() { detail::thread_abandoned = true; }
[[nodiscard]] inline bool any_abandoned_threads() { return detail::thread_abandoned; }

/// Its owner calls finish() or end() before the object ends.
class AbandonableThread {
public:
    AbandonableThread() = default;
    /// Starts it. `function` may take a std::stop_token, and owns, or shares the ownership of, all that it uses: it may
    /// outlive the object. Throws std::system_error.
    template <typename Function>
    explicit AbandonableThread(Function function)
        : state_(std::make_shared<State>()), thread_([state = state_, function = std::move(function)]() mutable {
              if constexpr (std::is_invocable_v<Function&, std::stop_token>) {
                  function(state->stop.get_token());
              } else {
                  function();
              }
              const MutexLock lock(state->mutex);
              state->ended = true;
              state->changed.notify_all();
          }) {}

    [[nodiscard]] bool joinable() const { return thread_.joinable(); }
    /// Requests a stop. False: the thread has not ended within `patience`, and is abandoned.
    bool finish(std::chrono::milliseconds patience) {
        if (!joinable()) return true;
        state_->stop.request_stop();
        const bool ended = wait(*state_, patience);
        end(ended);
        return ended;
    }
    /// Joins it where it has `ended` or is known to end, else abandons it: for owners that wait in a way of their own.
    void end(bool ended) {
        if (!joinable()) return;
        if (ended) return thread_.join();
        note_abandoned_thread();
        thread_.detach();
    }

private:
    struct State {
        std::stop_source stop;
        Mutex mutex;  ///< a leaf: no other mutex is locked while it is held
        Condition changed;
        bool ended GPUMINER_GUARDED_BY(mutex) = false;
    };
    static bool wait(State& state, std::chrono::milliseconds patience) {
        const MutexLock lock(state.mutex);
        return state.changed.wait_for(state.mutex, patience,
                                      [&state]() GPUMINER_REQUIRES(state.mutex) { return state.ended; });
    }

    std::shared_ptr<State> state_;
    threads::Thread thread_;
};

}  // namespace gpuminer
