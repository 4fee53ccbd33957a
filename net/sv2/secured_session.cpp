#include "net/sv2/secured_session.hpp"

#include <string_view>
#include <utility>
#include <variant>

#include "host/errors.hpp"

namespace gpuminer::net::sv2 {
namespace {

constexpr std::chrono::seconds kHandshakeLimit{10};

constexpr const char* kNoAuthority =
    "its URL has no authority key, so that anyone on the way to it can read the login and take the work: "
    "stratum2+tcp://HOST:PORT/AUTHORITY_KEY";

}  // namespace

SecuredSession::SecuredSession(Options options, Security security)
    : plain_(std::move(options)), security_(std::move(security)), handshake_(std::in_place, security_.draw) {}

StratumEvents SecuredSession::start(SteadyTime now) {
    deadline_ = now + kHandshakeLimit;
    StratumEvents events;
    events.emplace_back(Send{handshake_->message()});
    return events;
}

std::optional<StratumEvents> SecuredSession::next(std::string& received, SteadyTime now) {
    if (over_) return std::nullopt;
    if (!transport_) {
        if (received.size() < kNoiseAnswerSize) return std::nullopt;
        return shake_hands(received, now);
    }
    while (true) {
        if (auto events = plain_.next(opened_, now)) return sealed(std::move(*events));
        if (plain_.over()) return std::nullopt;
        try {
            const auto frame = transport_->opener.next(received, plain_.longest_payload());
            if (!frame) return std::nullopt;
            opened_ += *frame;
        } catch (const NetworkError& error) {
            return failed(error.what());
        }
    }
}

StratumEvents SecuredSession::shake_hands(std::string& received, SteadyTime now) {
    const std::string answer = received.substr(0, kNoiseAnswerSize);
    received.erase(0, kNoiseAnswerSize);
    try {
        transport_ = handshake_->finish(answer, security_.authority, security_.wall_clock());
    } catch (const NetworkError& error) {
        return failed(error.what());
    }
    handshake_.reset();  // with its secrets
    StratumEvents events = sealed(plain_.start(now));
    if (!security_.authority) events.emplace_back(Warning{kNoAuthority});
    return events;
}

StratumEvents SecuredSession::tick(SteadyTime now) {
    if (over_) return {};
    if (transport_) return sealed(plain_.tick(now));
    if (now < deadline_) return {};
    return failed("it has not answered the handshake of Stratum V2; does that port speak it, or Stratum V1?");
}

StratumEvents SecuredSession::set_suggested_difficulty(double difficulty, SteadyTime now, bool again) {
    StratumEvents events = plain_.set_suggested_difficulty(difficulty, now, again);
    return transport_ && !over_ ? sealed(std::move(events)) : StratumEvents{};
}

SubmitDecision SecuredSession::assess(const StratumShare& share, bool again) const {
    return plain_.assess(share, again);
}

std::optional<SubmitRequest> SecuredSession::submit(const StratumShare& share, SteadyTime now, bool again) {
    if (!ready()) return std::nullopt;
    auto request = plain_.submit(share, now, again);
    if (request) request->bytes = transport_->sealer.seal(request->bytes);
    return request;
}

StratumEvents SecuredSession::farewell() { return ready() ? sealed(plain_.farewell()) : StratumEvents{}; }

StratumEvents SecuredSession::sealed(StratumEvents events) {
    for (StratumEvent& event : events) {
        if (auto* const send = std::get_if<Send>(&event)) send->bytes = transport_->sealer.seal(send->bytes);
    }
    return events;
}

StratumEvents SecuredSession::failed(std::string sentence) {
    over_ = true;
    StratumEvents events;
    events.emplace_back(ProtocolViolation{std::move(sentence)});
    return events;
}

}  // namespace gpuminer::net::sv2
