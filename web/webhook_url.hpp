// The place that alerts are sent to: the value of --webhook.
#pragma once

#include <cstdint>
#include <string>

namespace gpuminer::web {

struct WebhookUrl {
    bool tls = false;
    std::string host;
    std::uint16_t port = 0;
    std::string target;  ///< path and query; may hold a secret
    std::string user, password;
};

/// "https://host[:port]/path?query", http too. Throws InputError, which repeats neither path nor login.
[[nodiscard]] WebhookUrl parse_webhook_url(const std::string& text);

}  // namespace gpuminer::web
