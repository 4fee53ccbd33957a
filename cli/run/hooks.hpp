// User commands run on events (--on-block and the like), by a process of their own: this one may have given up the
// right to start any, and its threads must not be copied.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/view_options.hpp"
#include "web/alerts.hpp"

namespace gpuminer {

/// Bytes of a command with its option and facts.
inline constexpr std::size_t kLongestHookMessage = 2 * kLongestHookCommand;

class Hooks {
public:
    /// Starts the helper. Throws InputError where it cannot be started.
    explicit Hooks(HookCommands commands);
    /// The helper ends by itself, a minute later at most: what was told before is still run.
    ~Hooks();
    Hooks(const Hooks&) = delete;
    Hooks& operator=(const Hooks&) = delete;

    // Never waiting:

    /// From any thread. Has the command for this kind of alert run, if there is one, with the facts in its environment:
    /// GPUMINER_EVENT, GPUMINER_TEXT, GPUMINER_HASH and so on. Empty, or why it is not run.
    [[nodiscard]] std::string run(const web::Alert& alert) const;
    /// From one thread. A sentence for each command that has failed since the last call, and, once, for the helper if
    /// it has ended.
    [[nodiscard]] std::vector<std::string> failures();

private:
    const HookCommands commands_;
    int socket_ = -1;
    int helper_ = 0;  ///< its process; 0: it has ended
};

/// The word with which the helper is started, in place of a command: `gpuminer hook-helper`, on a socket as standard
/// input.
inline constexpr std::string_view kHookHelper = "hook-helper";

/// The helper. Runs one command at a time, each with a time limit, until nobody is at the socket's other end. Its
/// exit code.
[[nodiscard]] int run_hook_helper();

}  // namespace gpuminer
