#include "web/dashboard.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <utility>

namespace gpuminer::web {
namespace {

/// On Linux the priority is the thread's own. Below those who send shares and those who hash (10), but not the lowest
/// of all (19): there nobody is answered for minutes on a machine that compiles.
void step_back() {
    constexpr int kBelowMiners = 15;
    (void)::setpriority(PRIO_PROCESS, 0, std::max(::getpriority(PRIO_PROCESS, 0), kBelowMiners));
}

}  // namespace

Dashboard::Dashboard(const WebOptions& options, const Monitor& monitor)
    : api_(monitor, options.rules),
      server_(loop_, options.address, "--http",
              [this](const net::ServerRequest& request) { return api_.answer(request); }),
      thread_([this](const std::stop_token& stop) {
          const std::stop_callback wake(stop, [this] { loop_.stop(); });
          step_back();
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
