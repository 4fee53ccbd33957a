// The process that runs the user's commands. It has one thread and knows nothing of mining.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "cli/run/hooks.hpp"
#include "host/text/text.hpp"

extern "C" char** environ;

namespace gpuminer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTimeLimit{60};
constexpr std::size_t kMostOutput = 400;  // bytes of a command's output that are told

/// What a command is not to find in its environment.
void forget_secrets() {
    for (const OptionRow& row : option_rows()) {
        if (row.environment == nullptr) continue;
        for (const std::string& name : variables_of(row)) ::unsetenv(name.c_str());
        ::unsetenv(row.environment);
    }
    for (const char* const name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);  // sd_notify(3)
}

/// The shell with the command, its output into `output`, in a process group of its own. The process, or -errno.
pid_t start(const std::string& command, std::vector<std::string>& facts, int output) {
    std::vector<char*> environment;
    for (char** any = environ; *any != nullptr; ++any) environment.push_back(*any);
    for (std::string& fact : facts) environment.push_back(fact.data());
    environment.push_back(nullptr);
    std::string shell = "sh", option = "-c", text = command;
    std::array<char*, 4> words{shell.data(), option.data(), text.data(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t ignored_by_miners;  // and so by this process, which one of them has started
    sigemptyset(&ignored_by_miners);
    for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&ignored_by_miners, signal);
    posix_spawnattr_setsigdefault(&attributes, &ignored_by_miners);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    pid_t process = 0;
    const int error = ::posix_spawn(&process, "/bin/sh", &files, &attributes, words.data(), environment.data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return error == 0 ? process : -error;
}

/// Reads what there is to be read, of what comes without an end a part, but keeps the beginning alone.
void read_output(int output, std::string& text) {
    std::array<char, 4096> buffer{};
    for (int piece = 0; piece < 64; ++piece) {
        const ssize_t size = ::read(output, buffer.data(), buffer.size());
        if (size <= 0) return;
        text.append(buffer.data(), std::min(static_cast<std::size_t>(size), kMostOutput - text.size()));
    }
}

/// Until it has ended, or until `end`. Empty: it has ended well; else why not, with the beginning of its output.
std::string watch(pid_t process, int output, Clock::time_point end) {
    constexpr int kTick = 20;  // milliseconds
    std::string text;
    int status = 0;
    bool too_long = false;
    while (::waitpid(process, &status, WNOHANG) == 0) {
        if (Clock::now() >= end) {
            too_long = true;
            ::kill(-process, SIGKILL);
            ::waitpid(process, &status, 0);
            break;
        }
        pollfd event{output, POLLIN, 0};
        if (::poll(&event, 1, kTick) == 1 && (event.revents & POLLIN) == 0) ::usleep(kTick * 1000);
        read_output(output, text);
    }
    read_output(output, text);
    if (!too_long && WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
    const std::string why = too_long            ? fmt::format("it took longer than {} s", kTimeLimit.count())
                            : WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                                : fmt::format("ended by signal {}", WTERMSIG(status));
    return text.empty() ? why : fmt::format("{}: {}", why, printable(text));
}

/// Empty, or the sentence to be told.
std::string run_command_of(const std::string& message, Clock::time_point end) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= message.size();) {
        const std::size_t size = std::min(message.find('\0', at), message.size()) - at;
        parts.push_back(message.substr(at, size));
        at += size + 1;
    }
    if (parts.size() < 2) return "";  // not sent by a miner
    const std::string option = parts[0], command = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return option + " is not run: no pipe";
    ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);  // not the command's end, which would lose what does not fit
    const pid_t process = start(command, parts, pipe[1]);
    ::close(pipe[1]);
    const std::string why = process > 0 ? watch(process, pipe[0], end) : fmt::format("no process: errno {}", -process);
    ::close(pipe[0]);
    // Without the command: there may be a password in it, and the log is shown to all users of this machine.
    return why.empty() ? "" : fmt::format("{} failed: {}", option, why);
}

/// The miner has ended. What it has sent is still to be read.
bool is_alone() {
    pollfd socket{STDIN_FILENO, 0, 0};
    return ::poll(&socket, 1, 0) == 1 && (socket.revents & POLLHUP) != 0;
}

}  // namespace

int run_hook_helper() {
    std::optional<Clock::time_point> end;  // of all that is left once the miner has ended
    forget_secrets();
    std::vector<char> buffer(kLongestHookMessage);
    for (;;) {
        const ssize_t size = ::recv(STDIN_FILENO, buffer.data(), buffer.size(), 0);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return size == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
        if (!end && is_alone()) end = Clock::now() + kTimeLimit;
        if (end && Clock::now() >= *end) return EXIT_SUCCESS;
        const std::string sentence = run_command_of(std::string(buffer.data(), static_cast<std::size_t>(size)),
                                                    end.value_or(Clock::now() + kTimeLimit));
        if (!sentence.empty())
            (void)::send(STDIN_FILENO, sentence.data(), sentence.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    }
}

}  // namespace gpuminer
