// The options of a run's outside views: --http, --on-EVENT, --webhook; and where a running miner's API is.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.hpp"
#include "net/transport/listen_address.hpp"
#include "web/alerts.hpp"
#include "web/remote_miner.hpp"
#include "web/webhook_url.hpp"

namespace gpuminer {

/// The commands, by the kind of alert.
using HookCommands = std::map<web::Alert::Kind, std::string>;

/// Bytes of a hook's command.
inline constexpr std::size_t kLongestHookCommand = 4096;

struct HttpOptions {
    net::ListenAddress address;
    std::string token_file;  ///< empty: there is no token
    std::vector<std::string> hosts;
};

struct ViewOptions {
    std::optional<HttpOptions> http;  ///< empty: nothing listens
    HookCommands hooks;
    std::vector<web::WebhookUrl> webhooks;

    [[nodiscard]] bool any() const { return http || !hooks.empty() || !webhooks.empty(); }
};

/// pair, status, pause, resume: for a miner that runs already.
[[nodiscard]] constexpr bool is_control(std::optional<Command> command) {
    return command == Command::kPair || command == Command::kStatus || command == Command::kPause ||
           command == Command::kResume;
}

// Throw InputError:
[[nodiscard]] web::MinerAddress read_miner_address(const Arguments& arguments);
[[nodiscard]] ViewOptions read_view(const Arguments& arguments);
/// --events: a file, "-": standard output; empty: none. Searches of headers take it from the command line alone: what a
/// configuration file or the environment has is a pool's or a node's, whose stream may be under way.
[[nodiscard]] std::string read_events(const Arguments& arguments);

}  // namespace gpuminer
