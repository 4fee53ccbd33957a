#include "web/dashboard.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <memory>
#include <stop_token>
#include <utility>

namespace gpuminer::web {
namespace {

/// On Linux the priority is the thread's own. It yields to whatever else wants the processor, the miner's threads too.
void yield_to_others() {
    constexpr int kLowest = 19;
    (void)::setpriority(PRIO_PROCESS, 0, kLowest);
}

}  // namespace

Dashboard::Dashboard(const WebOptions& options, const Monitor& monitor)
    : api_(monitor, options.rules),
      server_(loop_, options.address, "--http",
              [this](const net::ServerRequest& request) { return api_.answer(request); }),
      thread_([this](const std::stop_token& stop) {
          const std::stop_callback wake(stop, [this] { loop_.stop(); });
          yield_to_others();
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
