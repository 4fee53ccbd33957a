#include "net/pool/connection.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "host/block/format.hpp"

namespace gpuminer::net {
namespace {

SteadyTime now() { return std::chrono::steady_clock::now(); }

}  // namespace

PoolConnection::PoolConnection(EventLoop& loop, PoolConnectionOwner& owner, std::size_t pool, std::uint64_t number,
                               const Endpoint& url, const PoolOptions& options, StratumOptions stratum,
                               const PoolTiming& timing)
    : loop_(loop),
      owner_(owner),
      pool_(pool),
      number_(number),
      url_(url),
      timing_(timing),
      stratum_(std::move(stratum), *this),
      ticker_(loop),
      ender_(loop) {
    ConnectionEvents events;
    events.connected = [this] {
        last_received_ = now();
        stratum_.start(now());
        ticker_.start(timing_.tick, [this] { tick(); });
    };
    events.line = [this](std::string_view line) {
        last_received_ = now();
        first_sent_ = {};
        if (!ending_) stratum_.line(line, last_received_);
    };
    events.closed = [this](const std::string& sentence) {
        hung_up_ = true;
        const std::string& refusal = stratum_.suggestion_refusal();
        // Once there was work that was not the reason: many pools do not know suggestions at all.
        const bool may_be_why = !refusal.empty() && !stratum_.current_job();
        end(false,
            may_be_why ? fmt::format("{}; it had refused the suggested difficulty: {}", sentence, refusal) : sentence);
    };
    connection_ = make_connection(loop_, url, options.proxy, options.tls, std::move(events));
}

PoolConnection::~PoolConnection() = default;

void PoolConnection::tick() {
    if (ending_) return;
    ticker_.start(timing_.tick, [this] { tick(); });
    const auto [since, limit] = patience();
    if (now() - since > limit) {
        const double seconds = std::chrono::duration<double>(limit).count();
        return end(false, fmt::format("{} has sent nothing for {}", url_.text, duration_text(seconds)));
    }
    stratum_.tick(now());
}

std::pair<SteadyTime, std::chrono::milliseconds> PoolConnection::patience() const {
    const bool owes_answer = !stratum_.ready() || stratum_.unanswered() > 0;
    if (!owes_answer) return {last_received_, timing_.long_silence};
    // What was asked after a long silence gets its time, too.
    return {std::max(last_received_, first_sent_), timing_.silence};
}

void PoolConnection::end(bool refused, const std::string& sentence) {
    if (std::exchange(ending_, true)) return;
    ticker_.cancel();
    connection_->close();
    ender_.start(std::chrono::milliseconds(0), [this, refused, sentence] { owner_.ended(*this, refused, sentence); });
}

void PoolConnection::give_up(const std::string& sentence) { end(false, fmt::format("{}: {}", url_.text, sentence)); }

void PoolConnection::send(std::string line) {
    if (first_sent_ == SteadyTime{}) first_sent_ = now();
    connection_->send(std::move(line));
}

void PoolConnection::subscribed(const Subscription& subscription) {
    subscription_ = subscription;
    owner_.subscribed(*this, subscription);
}

void PoolConnection::logged_in() {
    logged_in_at_ = now();
    owner_.logged_in(*this);
}

void PoolConnection::refused(std::string sentence) { end(true, fmt::format("{}: {}", url_.text, sentence)); }

void PoolConnection::job(std::shared_ptr<const StratumJob> job) {
    if (!ending_) owner_.new_job(*this, std::move(job));
}

void PoolConnection::difficulty(double difficulty) {
    owner_.say(Severity::kDebug, fmt::format("{} sets difficulty {:.6g}", url_.text, difficulty));
}

void PoolConnection::share_answered(std::uint64_t id, const ShareReply& answer) { owner_.answered(*this, id, answer); }

void PoolConnection::reconnect(std::string host, std::uint16_t port, std::chrono::seconds wait) {
    if (!ending_ && owner_.reconnect(*this, host, port, wait)) {
        end(false, fmt::format("{} asks to connect again", url_.text));
    }
}

void PoolConnection::show_message(std::string text) {
    constexpr unsigned kMostMessages = 20;  // a session
    if (++messages_ > kMostMessages) return;
    owner_.say(Severity::kInfo, fmt::format("{} says: {}", url_.text, text));
}

void PoolConnection::warning(std::string sentence) {
    owner_.say(Severity::kWarning, fmt::format("{}: {}", url_.text, sentence));
}

void PoolConnection::protocol_error(std::string sentence) { end(false, fmt::format("{}: {}", url_.text, sentence)); }

}  // namespace gpuminer::net
