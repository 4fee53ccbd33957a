#include "web/dashboard.hpp"

#include <fmt/format.h>

#include <memory>
#include <stop_token>
#include <utility>

#include "host/thread_priority.hpp"

namespace gpuminer::web {

Dashboard::Dashboard(const WebOptions& options, Monitor& monitor)
    : api_(monitor, options.rules,
           [this, options] {
               return phone_address(options.address, place(), options.rules.extra_hosts, runs_in_container());
           }),
      server_(loop_, options.address, "--http",
              [this](const net::ServerRequest& request) { return api_.answer(request); }),
      thread_([this](const std::stop_token& stop) {
          const std::stop_callback wake(stop, [this] { loop_.stop(); });
          set_server_thread_priority();
          loop_.run();
      }) {}

Dashboard::~Dashboard() {
    thread_.request_stop();
    thread_.join();
}

void Dashboard::publish(std::string_view event, std::string_view json) {
    auto text = std::make_shared<const std::string>(fmt::format("event: {}\ndata: {}\n\n", event, json));
    loop_.post([this, text = std::move(text)] { server_.publish(text); });
}

}  // namespace gpuminer::web
