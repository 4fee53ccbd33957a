#include "cli/run/signals.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <utility>

#include "cli/terminal/keys.hpp"
#include "cli/terminal/logging.hpp"

namespace gpuminer {
namespace {

constexpr int kExitOfSignal = 128;  // a shell's convention: 130 for INT, 143 for TERM

/// Ends the wait of the signal thread, so that it sees at once that it is to stop. Not a real-time signal, which is
/// refused where the user's pending signals have reached their limit.
constexpr int kWakeSignal = SIGURG;

/// The wake-up may be refused all the same (seccomp): then this is how late the stop is seen.
constexpr timespec kLongestWait{.tv_sec = 0, .tv_nsec = 200'000'000};

sigset_t handled_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, kWakeSignal})
        sigaddset(&set, signal);
    return set;
}

/// Under real-time scheduling (chrt) a thread that works would keep this one, at the same priority, from being heard.
void come_first_in_real_time() {
    const int policy = sched_getscheduler(0);
    sched_param parameters{};
    if ((policy != SCHED_FIFO && policy != SCHED_RR) || sched_getparam(0, &parameters) != 0) return;
    parameters.sched_priority = std::min(parameters.sched_priority + 1, sched_get_priority_max(policy));
    (void)sched_setscheduler(0, policy, &parameters);
}

/// Ctrl-\: as it would be without a handler, but for the terminal.
void quit() {
    restore_terminal();
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGQUIT);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    (void)::kill(::getpid(), SIGQUIT);
}

}  // namespace

void block_handled_signals() {
    const sigset_t set = handled_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void interrupt_this_process() { (void)::kill(::getpid(), SIGINT); }

void leave_at_once(int exit_code) { ::_exit(exit_code); }

SignalThread::SignalThread() {
    // A write to a closed pipe, or beyond the largest size allowed for a file, reports an error instead.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    block_handled_signals();
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

int SignalThread::stop_signal() const {
    const MutexLock lock(mutex_);
    return stop_signal_;
}

void SignalThread::run(const std::stop_token& stop) {
    come_first_in_real_time();
    const std::stop_callback wake(stop, [thread = pthread_self()] { pthread_kill(thread, kWakeSignal); });
    const sigset_t set = handled_signals();
    while (!stop.stop_requested()) {
        const int signal = sigtimedwait(&set, nullptr, &kLongestWait);
        if (signal > 0 && signal != kWakeSignal) handle(signal);
    }
}

void SignalThread::handle(int signal) {
    if (signal == SIGHUP) return reopen_log();
    if (signal == SIGTSTP) {  // Ctrl-Z: live lines and what the key thread changed are not for the shell
        hold_live(true);
        (void)wait_for_log();
        restore_terminal();
        ::kill(::getpid(), SIGSTOP);
        return;
    }
    if (signal == SIGCONT) {
        look_at_terminal_anew();
        return hold_live(false);
    }
    if (signal == SIGQUIT) return quit();
    const MutexLock lock(mutex_);
    if (signal == SIGUSR1) {
        if (actions_.statistics) actions_.statistics();
    } else if (signal == SIGUSR2) {
        if (actions_.pause_or_resume) actions_.pause_or_resume();
    } else {
        if (stop_signal_ != 0 || !actions_.stop) {
            restore_terminal();
            leave_at_once(kExitOfSignal + signal);
        }
        stop_signal_ = signal;
        actions_.stop();
    }
}

void SignalThread::expect_session() {
    const MutexLock lock(mutex_);
    actions_.stop = [] {};
}

SignalThread::Session::Session(SignalThread& signals, Actions actions) : signals_(signals) {
    const MutexLock lock(signals_.mutex_);
    signals_.actions_ = std::move(actions);
    if (signals_.stop_signal_ != 0) signals_.actions_.stop();
}

SignalThread::Session::~Session() {
    const MutexLock lock(signals_.mutex_);
    signals_.actions_ = Actions{.stop = [] {}, .statistics = {}, .pause_or_resume = {}};
}

}  // namespace gpuminer
