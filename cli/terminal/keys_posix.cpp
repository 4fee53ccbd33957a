#include "cli/terminal/keys.hpp"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <iterator>
#include <optional>
#include <utility>

#include "cli/terminal/terminal.hpp"

namespace gpuminer {
namespace {

constexpr int kTick = 100;  // milliseconds: the longest that a key waits after `fg`

struct Terminal {
    Mutex mutex;                                               // a leaf
    std::optional<termios> before GPUMINER_GUARDED_BY(mutex);  // as it is to be restored; empty: it is as it was
    bool taken GPUMINER_GUARDED_BY(mutex) = false;             // and has not been changed by others since
    bool given_back GPUMINER_GUARDED_BY(mutex) = false;        // not to be taken: the process is about to end or stop
};

Terminal& terminal() {
    static Terminal only;
    return only;
}

void read_key_by_key() {
    Terminal& state = terminal();
    const MutexLock lock(state.mutex);
    termios settings{};
    if (state.taken || state.given_back || ::tcgetattr(STDIN_FILENO, &settings) != 0) return;
    if (!state.before) state.before = settings;
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    settings.c_cc[VMIN] = 1;  // 0 would be an end of file to a shell that gets the terminal back as it is
    settings.c_cc[VTIME] = 0;
    state.taken = ::tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0;
}

void give_back(Terminal& state) GPUMINER_REQUIRES(state.mutex) {
    if (state.before && !is_in_background(STDIN_FILENO)) (void)::tcsetattr(STDIN_FILENO, TCSANOW, &*state.before);
    state.before.reset();
    state.taken = false;
}

}  // namespace

void restore_terminal() {
    Terminal& state = terminal();
    const MutexLock lock(state.mutex);
    give_back(state);
    state.given_back = true;
}

void look_at_terminal_anew() {
    Terminal& state = terminal();
    const MutexLock lock(state.mutex);
    state.taken = state.given_back = false;
}

bool KeyThread::possible() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

KeyThread::KeyThread(Pressed pressed) : pressed_(std::move(pressed)) {
    if (!possible()) return;
    if (::pipe2(wake_, O_CLOEXEC) != 0) wake_[0] = wake_[1] = -1;  // it stops with the next tick
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

KeyThread::~KeyThread() {
    if (!active()) return;
    thread_.request_stop();
    if (wake_[1] >= 0) ::close(wake_[1]);
    thread_.join();
    if (wake_[0] >= 0) ::close(wake_[0]);
    Terminal& state = terminal();
    const MutexLock lock(state.mutex);
    give_back(state);
}

void KeyThread::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        pollfd events[] = {{wake_[0], POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
        pollfd& event = events[1];
        if (is_in_background(STDIN_FILENO)) {
            event.fd = -1;  // not for this process
        } else {
            read_key_by_key();
        }
        if (::poll(events, std::size(events), kTick) <= 0 || event.revents == 0) continue;
        char key = 0;
        const ssize_t size = ::read(STDIN_FILENO, &key, 1);
        if (size == 1) {
            pressed_(key);
        } else if (size == 0 && (event.revents & POLLHUP) != 0) {
            return;  // the terminal has gone
        }
    }
}

}  // namespace gpuminer
