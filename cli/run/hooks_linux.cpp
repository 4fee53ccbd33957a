#include "cli/run/hooks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>

#include "host/errors.hpp"
#include "host/files/own_file.hpp"

extern "C" char** environ;

namespace gpuminer {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

std::string variable(const std::string& name, const std::string& value) {
    std::string text = "GPUMINER_";
    for (const char c : name) text += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return text + "=" + value;
}

/// With the socket as standard input, nothing else of this process's, and in a session of its own: a signal from the
/// terminal is for the miner. The process, or -errno.
pid_t spawn_helper(int socket) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    std::string name = "gpuminer", word{kHookHelper};
    std::array<char*, 3> words{name.data(), word.data(), nullptr};
    pid_t process = 0;
    const int error = ::posix_spawn(&process, kThisProgram, &files, &attributes, words.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return error == 0 ? process : -error;
}

/// `status`: as waitpid() gives it; empty: another has taken it.
std::string end_of_helper(std::optional<int> status) {
    const std::string how = !status                ? ""
                            : WIFSIGNALED(*status) ? fmt::format(" by signal {}", WTERMSIG(*status))
                                                   : fmt::format(" with exit code {}", WEXITSTATUS(*status));
    return fmt::format(
        "commands (--on-block and the like) are disabled until gpuminer is restarted: their helper has ended{}", how);
}

}  // namespace

Hooks::Hooks(HookCommands commands) : commands_(std::move(commands)) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw InputError(fmt::format("hooks cannot be run: {}", std::generic_category().message(errno)));
    helper_ = spawn_helper(ends[1]);
    ::close(ends[1]);
    socket_ = ends[0];
    if (helper_ > 0) return;
    ::close(socket_);
    throw InputError(
        fmt::format("hooks cannot be run: no helper process: {}", std::generic_category().message(-helper_)));
}

Hooks::~Hooks() { ::close(socket_); }

std::string Hooks::run(const web::Alert& alert) const {
    const auto command = commands_.find(alert.kind);
    if (command == commands_.end()) return "";
    const std::string event = web::name_of(alert.kind), option = "--on-" + event;
    std::string facts;
    const auto add = [&](const std::string& name, const std::string& value) {
        facts += '\0';
        facts += variable(name, value);
    };
    add("event", event);
    add("text", alert.text);
    for (const auto& [name, value] : alert.facts) add(name, value);
    std::ranges::replace(facts, '\n', ' ');
    const std::string message = option + '\0' + command->second + facts;
    if (message.size() <= kLongestHookMessage &&
        ::send(socket_, message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
            static_cast<ssize_t>(message.size()))
        return "";
    return option + " is not run: its helper is busy with earlier commands, or has ended";
}

std::vector<std::string> Hooks::failures() {
    std::vector<std::string> failures;
    std::array<char, kLongestHookMessage> buffer{};
    ssize_t size = 0;
    while ((size = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0)
        failures.emplace_back(buffer.data(), static_cast<std::size_t>(size));
    int status = 0;
    const pid_t ended = helper_ > 0 ? ::waitpid(helper_, &status, WNOHANG) : 0;
    if (ended == 0) return failures;
    failures.push_back(end_of_helper(ended > 0 ? std::optional(status) : std::nullopt));
    helper_ = 0;  // no other is started: in the sandbox, programs are not
    return failures;
}

}  // namespace gpuminer
