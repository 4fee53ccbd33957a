// The console's events: Ctrl-C and Ctrl-Break stop as INT does; the closing of its window, the user's leaving and the
// system's end as TERM does, for which there are 5 s.
#include "cli/run/signals.hpp"

#include <windows.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <stop_token>
#include <utility>

namespace gpuminer {
namespace {

constexpr int kExitOfSignal = 128;  // a shell's convention: 130 for INT, 143 for TERM

/// Events on their way to the signal thread. (Not by a condition: the system's own object is what its threads may use.)
struct Events {
    const HANDLE arrived = CreateEventW(nullptr, FALSE, FALSE, nullptr);
    std::atomic<int> signal = 0;  ///< the last one that has come; 0: none
};

/// Never destroyed: the system may call at any time.
Events& events() {
    static Events* const only = new Events;
    return *only;
}

void raise_event(int signal) {
    events().signal = signal;
    (void)SetEvent(events().arrived);
}

/// On a thread of the system's.
BOOL WINAPI on_console_event(DWORD event) {
    if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) {
        raise_event(SIGINT);
        return TRUE;
    }
    raise_event(SIGTERM);
    Sleep(INFINITE);  // whoever returns is ended at once
    return TRUE;
}

}  // namespace

void block_handled_signals() {}

void interrupt_this_process() { raise_event(SIGINT); }

/// Not by ExitProcess(), which std::_Exit() calls: that ends the other threads, whatever locks they hold, and then has
/// the libraries (drivers' among them) clean up, which may wait for such a lock for ever.
void leave_at_once(int exit_code) {
    (void)TerminateProcess(GetCurrentProcess(), static_cast<UINT>(exit_code));
    std::abort();
}

SignalThread::SignalThread() {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    (void)SetConsoleCtrlHandler(on_console_event, TRUE);
}

int SignalThread::stop_signal() const {
    const MutexLock lock(mutex_);
    return stop_signal_;
}

void SignalThread::run(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [] { (void)SetEvent(events().arrived); });
    while (!stop.stop_requested()) {
        (void)WaitForSingleObject(events().arrived, INFINITE);
        if (const int signal = events().signal.exchange(0); signal != 0) handle(signal);
    }
}

void SignalThread::handle(int signal) {
    const MutexLock lock(mutex_);
    if (stop_signal_ != 0 || !actions_.stop) leave_at_once(kExitOfSignal + signal);
    stop_signal_ = signal;
    actions_.stop();
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
