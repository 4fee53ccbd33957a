// The process's signals, handled on a thread of their own. INT and TERM stop, a second one leaves at once,
// USR1 prints statistics, USR2 pauses and resumes, HUP reopens the log, TSTP (Ctrl-Z) gives the terminal back and
// stops, PIPE is ignored.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "host/mutex.hpp"

namespace gpuminer {

/// In this thread, and so in every thread that it starts later; for a program that starts some before SignalThread.
void block_handled_signals();

/// INT to this process, as from Ctrl-C.
void interrupt_this_process();

/// Ends this process at once: nothing that libraries do at its end is run.
[[noreturn]] void leave_at_once(int exit_code);

/// Blocks the signals in the constructing thread, and so in every thread started later: construct it first.
/// One per process.
class SignalThread {
public:
    /// What to do while there is work in hand; called on the signal thread, one at a time.
    struct Actions {
        std::function<void()> stop;
        std::function<void()> statistics;
        std::function<void()> pause_or_resume;
    };

    SignalThread();

    /// The signal that asked first to stop: SIGINT, SIGTERM or 0.
    [[nodiscard]] int stop_signal() const;

    /// From now on the first INT or TERM is remembered, for the session that is about to begin.
    void expect_session();

    /// Actions for as long as it lives; a stop that came before is carried out at once. Afterwards the first INT or
    /// TERM is remembered only (the summary is being printed), the second still leaves at once. With no session begun
    /// or expected the first one leaves.
    class Session {
    public:
        Session(SignalThread& signals, Actions actions);
        ~Session();
        Session(const Session&) = delete;
        Session& operator=(const Session&) = delete;

    private:
        SignalThread& signals_;
    };

private:
    void run(const std::stop_token& stop);
    void handle(int signal);

    mutable Mutex mutex_;  ///< held during actions
    Actions actions_ GPUMINER_GUARDED_BY(mutex_);
    int stop_signal_ GPUMINER_GUARDED_BY(mutex_) = 0;
    std::jthread thread_;
};

}  // namespace gpuminer
