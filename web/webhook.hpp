// Alerts as JSON to a URL, on a thread of its own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "host/notices.hpp"
#include "net/transport/event_loop.hpp"
#include "net/transport/tls.hpp"
#include "web/webhook_url.hpp"

namespace gpuminer::web {

/// One at a time, in their order; each is tried again for some minutes. At most 20 wait: the oldest are left out.
class Webhook {
public:
    using Say = std::function<void(Severity, const std::string& text)>;  ///< from its thread

    /// `first_pause`: before the second attempt; it doubles from one to the next.
    Webhook(WebhookUrl url, Say say, std::chrono::milliseconds first_pause = std::chrono::seconds(5));
    /// What is on its way is dropped.
    ~Webhook();
    Webhook(const Webhook&) = delete;
    Webhook& operator=(const Webhook&) = delete;

    /// From any thread.
    void send(std::string json);
    /// Until nothing is on its way, but no longer than until `end`.
    void wait(std::chrono::steady_clock::time_point end);

private:
    class Sender;
    net::EventLoop loop_;
    std::unique_ptr<Sender> sender_;
    std::jthread thread_;
};

}  // namespace gpuminer::web
