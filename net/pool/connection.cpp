#include "net/pool/connection.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "host/text/format.hpp"

namespace gpuminer::net {
namespace {

using Cause = ConnectionEnded::Cause;

// Where TLS is spoken, a line of JSON gets no answer.
constexpr const char* kV1Scheme = "; the URL of a port with Stratum V1 begins with stratum+tcp://";
constexpr const char* kTlsScheme = "; the URL of a port with TLS begins with stratum+ssl://";

}  // namespace

std::string farewell_of(PoolSession& session) {
    std::string bytes;
    for (const StratumEvent& event : session.farewell()) bytes += std::get<Send>(event).bytes;
    return bytes;
}

PoolConnection::PoolConnection(EventLoop& loop, const Endpoint& url, const PoolOptions& options, JobOrigin origin,
                               std::unique_ptr<PoolSession> session, const PoolTiming& timing, Report report)
    : origin_(origin),
      url_(url),
      timing_(timing),
      report_(std::move(report)),
      session_(std::move(session)),
      ticker_(loop) {
    ConnectionEvents events;
    events.accepted = [this] { accepted(); };
    events.connected = [this] {
        if (!accepted_at_) accepted();
        last_received_ = steady_now();
        handle(session_->start(*last_received_));
    };
    events.received = [this](std::string_view bytes) { take(bytes); };
    events.closed = [this](const std::string& sentence) {
        const Cause cause = last_received_ && !logged_in_at_ ? Cause::kTurnedAway : Cause::kFailed;
        const std::string refusal = session_->suggestion_refusal();
        // Once there was work that was not the reason: many pools do not know suggestions at all.
        const bool may_be_why = !refusal.empty() && !session_->current_job();
        const char* const other_scheme = url_.stratum_v2 ? kV1Scheme : kTlsScheme;
        const char* const advice = last_received_ && !heard_ && !url_.tls ? other_scheme : "";
        end(cause, may_be_why ? fmt::format("{}; it had refused the suggested difficulty: {}", sentence, refusal)
                              : sentence + advice);
    };
    transport_ = make_connection(loop, url, options.proxy, options.tls, std::move(events));
}

PoolConnection::~PoolConnection() {
    try {
        if (std::string bytes = farewell_of(*session_); !bytes.empty()) transport_->send(std::move(bytes));
    } catch (const std::exception&) {  // then it ends without a word
    }
}

void PoolConnection::take(std::string_view bytes) {
    received_ += bytes;
    const std::weak_ptr<bool> alive = alive_;  // a report may destroy this object
    while (!alive.expired()) {
        const SteadyTime now = steady_now();
        std::optional<StratumEvents> events = session_->next(received_, now);
        if (!events) return;
        last_received_ = now;
        first_sent_.reset();
        heard_ = true;
        handle(std::move(*events));
    }
}

void PoolConnection::accepted() {
    accepted_at_ = steady_now();
    ticker_.start(timing_.tick_every, [this] { tick(); });
}

void PoolConnection::tick() {
    ticker_.start(timing_.tick_every, [this] { tick(); });
    if (last_received_) {  // else the transport limits the TLS handshake
        const auto [since, limit] = silence_limit();
        if (steady_now() - since > limit) {
            const double seconds = std::chrono::duration<double>(limit).count();
            return end(Cause::kFailed, fmt::format("{} has sent nothing for {}", url_.text, duration_text(seconds)));
        }
    }
    if (!heard_ && !silence_told_ && steady_now() - *accepted_at_ > timing_.name_silence) {
        silence_told_ = true;
        PoolEvents events;
        events.emplace_back(Message{Severity::kWarning, silence_text()});
        return report(std::move(events));
    }
    if (last_received_) handle(session_->tick(steady_now()));
}

std::string PoolConnection::silence_text() const {
    const char* advice = "; does that port speak TLS (stratum+ssl://), or no Stratum?";
    if (url_.tls) advice = last_received_ ? "" : "; does that port speak TLS?";
    if (url_.stratum_v2) advice = "; does that port speak Stratum V2, or V1 (stratum+tcp://)?";
    return fmt::format("{} has accepted the connection and is silent{}", url_.text, advice);
}

std::pair<SteadyTime, std::chrono::milliseconds> PoolConnection::silence_limit() const {
    const bool owes_answer = !session_->ready() || session_->in_flight() > 0;
    if (!owes_answer) return {*last_received_, timing_.wait_for_traffic};
    // What was asked after a long silence gets its time, too.
    return {std::max(*last_received_, first_sent_.value_or(*last_received_)), timing_.wait_for_answer};
}

std::optional<std::uint64_t> PoolConnection::submit(const StratumShare& share, bool again) {
    std::optional<SubmitRequest> request = session_->submit(share, steady_now(), again);
    if (!request) return std::nullopt;
    send(std::move(request->bytes));
    return request->id;
}

void PoolConnection::set_suggested_difficulty(double difficulty, bool again) {
    handle(session_->set_suggested_difficulty(difficulty, steady_now(), again));
}

void PoolConnection::send(std::string bytes) {
    if (!first_sent_) first_sent_ = steady_now();
    transport_->send(std::move(bytes));
}

void PoolConnection::handle(StratumEvents events) {
    constexpr unsigned kMostOperatorMessages = 20;  // a connection
    PoolEvents out;
    const auto pass_on = [&out](auto& event) { out.emplace_back(std::move(event)); };
    const auto ended = [&](Cause cause, const std::string& sentence) {
        out.emplace_back(ConnectionEnded{cause, fmt::format("{}: {}", url_.text, sentence)});
    };
    for (StratumEvent& any : events) {
        std::visit(
            Overloaded{
                [&](Send& event) { send(std::move(event.bytes)); },
                [&](Subscribed& event) {
                    subscription_ = event.subscription;
                    pass_on(event);
                },
                [&](LoggedIn& event) {
                    logged_in_at_ = steady_now();
                    pass_on(event);
                },
                [&](NewJob& event) { pass_on(event); },
                [&](ShareReplied& event) { pass_on(event); },
                [&](ReconnectRequested& event) { pass_on(event); },
                [&](const DifficultyChanged& event) {
                    out.emplace_back(Message{Severity::kDebug,
                                             fmt::format("{} sets difficulty {:.6g}", url_.text, event.difficulty)});
                },
                [&](const OperatorMessage& event) {
                    if (++operator_messages_ > kMostOperatorMessages) return;
                    out.emplace_back(Message{Severity::kInfo, fmt::format("{} says: {}", url_.text, event.text)});
                },
                [&](const Warning& event) {
                    out.emplace_back(Message{Severity::kWarning, fmt::format("{}: {}", url_.text, event.sentence)});
                },
                [&](const LoginRefused& event) { ended(Cause::kLoginRefused, event.sentence); },
                [&](const ProtocolViolation& event) {
                    ended(event.of_extensions ? Cause::kExtensions : Cause::kFailed, event.sentence);
                },
            },
            any);
    }
    report(std::move(out));
}

void PoolConnection::end(Cause cause, std::string sentence) {
    PoolEvents events;
    events.emplace_back(ConnectionEnded{cause, std::move(sentence)});
    report(std::move(events));
}

void PoolConnection::report(PoolEvents events) {
    if (events.empty()) return;
    if (std::holds_alternative<ConnectionEnded>(events.back())) {
        ticker_.cancel();
        transport_->close();
    }
    const Report report = report_;  // which may destroy this object
    report(*this, std::move(events));
}

}  // namespace gpuminer::net
