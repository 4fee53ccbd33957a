// Keys while a search runs on a terminal: the usual ones of other miners (h, p, r, s, c), and q.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "host/mutex.hpp"

namespace gpuminer {

class KeyThread {
public:
    /// Called on its thread.
    using Pressed = std::function<void(char key)>;

    /// Reads standard input, if that and standard error are the terminal, key by key and without showing them; only
    /// while this process is in the terminal's foreground. Signals from keys stay what they are.
    explicit KeyThread(Pressed pressed);
    /// The terminal is as it was before.
    ~KeyThread();
    KeyThread(const KeyThread&) = delete;
    KeyThread& operator=(const KeyThread&) = delete;

    /// Whether there is a terminal that keys can come from.
    [[nodiscard]] static bool possible();
    /// Whether there is such a terminal.
    [[nodiscard]] bool active() const { return thread_.joinable(); }

private:
    void run(const std::stop_token& stop);

    const Pressed pressed_;
    int wake_[2] = {-1, -1};  ///< a pipe, whose end the thread sees when it is to stop (on POSIX systems)
    std::jthread thread_;
};

/// As KeyThread's end does, and keeps it so until look_at_terminal_anew(); for those who end or stop the process. From
/// any thread, as often as wanted.
void restore_terminal();
/// After this process was stopped: a shell may have changed the terminal. From any thread.
void look_at_terminal_anew();

}  // namespace gpuminer
