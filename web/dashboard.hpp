// The web server of a run, on an event loop and a thread of its own, so that no client delays anything else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "net/transport/event_loop.hpp"
#include "net/transport/http_server.hpp"
#include "net/transport/listen_address.hpp"
#include "web/api.hpp"

namespace gpuminer::web {

struct WebOptions {
    net::ListenAddress address;
    AccessRules rules;
};

class Dashboard {
public:
    /// Answers from now on. The monitor outlives it. Throws InputError where it cannot listen.
    Dashboard(const WebOptions& options, Monitor& monitor);
    ~Dashboard();
    Dashboard(const Dashboard&) = delete;
    Dashboard& operator=(const Dashboard&) = delete;

    /// "http://127.0.0.1:8080/"
    [[nodiscard]] const std::string& place() const { return server_.place(); }
    /// As Api::offer().
    void offer(Controls controls) { api_.offer(std::move(controls)); }
    /// As Api::offer_pairing().
    [[nodiscard]] std::optional<PairingOffer> offer_pairing() { return api_.offer_pairing(); }
    [[nodiscard]] bool is_pairing() { return api_.is_pairing(); }
    /// To all readers of /api/v1/events; from any thread. `json`: one line.
    void publish(std::string_view event, std::string_view json);

private:
    net::EventLoop loop_;
    Api api_;
    net::HttpServer server_;
    std::jthread thread_;
};

}  // namespace gpuminer::web
