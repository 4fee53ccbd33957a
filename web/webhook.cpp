#include "web/webhook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <stop_token>
#include <utility>

#include "host/errors.hpp"
#include "net/transport/http_client.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::web {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAttempt{15'000}, kLongestPause{120'000};
constexpr unsigned kMostAttempts = 6;
constexpr std::size_t kMostWaiting = 20;

net::HttpOptions http_options(const WebhookUrl& url) {
    net::HttpOptions options;
    options.channel.host = url.host;
    options.channel.port = url.port;
    if (url.tls) options.channel.tls = net::make_tls_context({}, "the webhook's certificate is not trusted here");
    return options;
}

}  // namespace

WebhookUrl parse_webhook_url(const std::string& text) {
    constexpr std::uint16_t kHttps = 443, kHttp = 80;
    const auto refuse = [](std::string_view why) {
        throw InputError(fmt::format("--webhook: expected https://HOST[:PORT]/PATH, got a URL in which {}", why));
    };
    const net::UrlParts parts = net::split_url(text);
    if (parts.scheme != "https" && parts.scheme != "http") refuse("the beginning is neither https:// nor http://");
    if (!parts.flaw.empty()) refuse(parts.flaw);
    if (const std::string_view flaw = net::host_flaw(parts.host); parts.host.empty() || !flaw.empty())
        refuse(parts.host.empty() ? "the host is missing" : flaw);
    WebhookUrl url;
    url.tls = parts.scheme == "https";
    url.host = parts.host;
    const auto port = parts.port ? net::parse_port(*parts.port) : std::optional(url.tls ? kHttps : kHttp);
    if (!port) refuse("the port is invalid");
    url.port = *port;
    if (parts.login) {
        net::Login login = net::parse_login(*parts.login);
        url.user = std::move(login.user);
        url.password = std::move(login.password);
    }
    url.target = std::string(parts.rest.substr(0, parts.rest.find('#')));
    if (!url.target.starts_with('/')) url.target.insert(0, "/");
    if (!std::ranges::all_of(url.target, [](char c) { return c > ' ' && c < 0x7f; }))
        refuse("the path has invalid characters");
    return url;
}

/// On the loop's thread.
class Webhook::Sender {
public:
    Sender(net::EventLoop& loop, WebhookUrl url, Say say, milliseconds first_pause)
        : url_(std::move(url)),
          place_(net::host_and_port(url_.host, url_.port)),
          say_(std::move(say)),
          first_pause_(first_pause),
          client_(loop, http_options(url_)),
          retry_(loop) {}

    void add(std::string body) {
        if (waiting_.size() >= kMostWaiting) {
            waiting_.erase(waiting_.begin() + (busy_ ? 1 : 0));
            say_(Severity::kWarning, fmt::format("webhook: {} does not keep up, an alert was dropped", place_));
        }
        waiting_.push_back(std::move(body));
        if (!busy_) begin();
    }
    /// Nothing is on its way, though something may wait for its next attempt.
    [[nodiscard]] bool idle() const { return !attempting_; }

private:
    void begin() {
        busy_ = !waiting_.empty();
        attempts_ = 0;
        pause_ = first_pause_;
        if (busy_) attempt();
    }

    void attempt() {
        net::HttpRequest request;
        request.target = url_.target;
        request.content_type = "application/json";
        request.body = waiting_.front();
        if (!url_.user.empty() || !url_.password.empty())
            request.authorization = net::basic_authorization(url_.user, url_.password);
        ++attempts_;
        attempting_ = true;
        client_.send(request, kAttempt, [this](const net::HttpResult& result) { finish(result); });
    }

    void finish(const net::HttpResult& result) {
        constexpr int kTooMany = 429;
        attempting_ = false;
        const bool done = result.status / 100 == 2;
        // What the server does not want will not be wanted later either; another place is not gone to.
        const bool refused = result.status / 100 == 3 || (result.status / 100 == 4 && result.status != kTooMany);
        const std::string why =
            result.status == 0 ? result.sentence : fmt::format("{} answers {}", place_, result.status);
        if (!done && !refused && attempts_ < kMostAttempts) {
            if (attempts_ == 1) say_(Severity::kWarning, fmt::format("webhook: {}; retrying", why));
            retry_.start(pause_, [this] { attempt(); });
            pause_ = std::min(2 * pause_, kLongestPause);
            return;
        }
        if (!done) say_(Severity::kWarning, fmt::format("webhook: {}; the alert is not delivered", why));
        waiting_.pop_front();
        begin();
    }

    const WebhookUrl url_;
    const std::string place_;  ///< without the path, which may be a secret
    const Say say_;
    const milliseconds first_pause_;
    net::HttpClient client_;
    net::Timer retry_;
    std::deque<std::string> waiting_;  ///< the first one is on its way
    bool busy_ = false;
    bool attempting_ = false;
    unsigned attempts_ = 0;
    milliseconds pause_{0};
};

Webhook::Webhook(WebhookUrl url, Say say, milliseconds first_pause)
    : sender_(std::make_unique<Sender>(loop_, std::move(url), std::move(say), first_pause)),
      thread_([this](const std::stop_token& stop) {
          const std::stop_callback wake(stop, [this] { loop_.stop(); });
          loop_.run();
      }) {}

Webhook::~Webhook() {
    thread_.request_stop();
    thread_.join();
}

void Webhook::wait(std::chrono::steady_clock::time_point end) {
    for (;;) {
        std::promise<bool> idle;
        loop_.post([this, &idle] { idle.set_value(sender_->idle()); });
        if (idle.get_future().get() || std::chrono::steady_clock::now() >= end) return;
        std::this_thread::sleep_for(milliseconds(20));
    }
}

void Webhook::send(std::string json) {
    loop_.post([this, json = std::move(json)] { sender_->add(json); });
}

}  // namespace gpuminer::web
