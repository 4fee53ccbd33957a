// The way into a session: configure, subscribe, authorize. Replies, and what happens when there is none.
#include "net/stratum/session.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "net/stratum/text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr seconds kConfigureTimeout{5};
constexpr seconds kLoginTimeout{30};      // for subscribe and for authorize
constexpr seconds kFirstJobTimeout{120};  // after the login; public-pool may take a minute
constexpr seconds kNudge{1};              // after the login, where there is no job yet
constexpr seconds kIdle{120};             // goPool hangs up on who has sent nothing for three minutes
constexpr unsigned kMostWarnings = 10;
constexpr std::uint32_t kWantedBits = 0x1fffe000;  // BIP 320

// A number as pools like it best: without a fraction where there is none.
json number(double value) {
    constexpr double kExact = 9007199254740992;  // 2^53
    if (value == std::floor(value) && value < kExact) return static_cast<std::int64_t>(value);
    return value;
}

bool is_true(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && *found == json(true);
}

// From [[["mining.set_difficulty", ID], ["mining.notify", ID]], …], or ["mining.notify", ID] alone.
std::string session_id(const json& subscriptions) {
    constexpr std::size_t kLongest = 256;
    const auto id_of = [](const json& pair) -> std::string {
        if (!pair.is_array() || pair.size() < 2 || pair[0] != json("mining.notify") || !pair[1].is_string()) return {};
        return pair[1].get<std::string>();
    };
    std::string id = id_of(subscriptions);
    if (id.empty() && subscriptions.is_array()) {
        for (const json& pair : subscriptions) {
            if (id.empty()) id = id_of(pair);
        }
    }
    return id.size() <= kLongest ? id : std::string();
}

}  // namespace

StratumSession::StratumSession(StratumOptions options, StratumHandler& handler)
    : options_(std::move(options)), handler_(handler) {
    if (!options_.works) options_.works = std::make_shared<RecentWork>();
}

void StratumSession::start(SteadyTime now) {
    now_ = now;
    if (options_.configure) {
        send_configure();
    } else {
        send_subscribe();
    }
}

void StratumSession::line(std::string_view line, SteadyTime now) {
    if (over_) return;
    now_ = now;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    try {
        handle_line(line);
    } catch (const ProtocolError& error) {
        fail(std::string("the pool does not speak Stratum: ") + error.what());
    }
}

void StratumSession::tick(SteadyTime now) {
    now_ = now;
    if (over_) return;
    // goPool looks whether it owes a first job only when it hears something.
    const bool wants_job = waiting_ == Waiting::kJob && deadline_ - now <= kFirstJobTimeout - kNudge;
    if (ready() && ((wants_job && !std::exchange(nudged_, true)) || now - last_sent_ >= kIdle)) nudge();
    if (waiting_ == Waiting::kNothing || now < deadline_) return;
    const Waiting missed = std::exchange(waiting_, Waiting::kNothing);
    if (missed == Waiting::kConfigure) return send_subscribe();  // a pool that ignores it; a late reply still counts
    if (missed == Waiting::kJob)
        return fail(fmt::format("the pool gave no work within {} s", kFirstJobTimeout.count()));
    fail(fmt::format("the pool did not answer {} within {} s",
                     missed == Waiting::kSubscribe ? "mining.subscribe" : "mining.authorize", kLoginTimeout.count()));
}

void StratumSession::request(std::string_view method, const json& params) {
    last_sent_ = now_;
    handler_.send(stratum_request(next_id_++, method, params));
}

void StratumSession::request_and_wait(Waiting for_what, seconds timeout, std::string_view method, const json& params) {
    requests_[next_id_] = for_what;
    waiting_ = for_what;
    deadline_ = now_ + timeout;
    request(method, params);
}

void StratumSession::suggest() {
    if (!options_.suggest_difficulty) return;
    suggested_ = options_.suggest_difficulty;
    suggestion_ = next_id_;
    request("mining.suggest_difficulty", json::array({number(*suggested_)}));
}

// Says something that changes nothing.
void StratumSession::nudge() {
    last_sent_ = now_;
    if (options_.suggest_difficulty) return suggest();
    if (options_.extranonce_subscribe) request("mining.extranonce.subscribe", json::array());
}

void StratumSession::set_suggested_difficulty(double difficulty) {
    if (!std::isfinite(difficulty) || difficulty <= 0) return;
    options_.suggest_difficulty = difficulty;
    if (ready() && (!suggested_ || std::abs(difficulty - *suggested_) > *suggested_ / 10)) suggest();
}

// BIP 310.
void StratumSession::send_configure() {
    json extensions = {"version-rolling", "subscribe-extranonce"};
    json values = {{"version-rolling.mask", fmt::format("{:08x}", kWantedBits)}, {"version-rolling.min-bit-count", 1}};
    // A whole number: a Stratum V2 translator hangs up on any other.
    const double minimum = std::floor(options_.suggest_difficulty.value_or(0));
    if (minimum >= 1) {
        extensions.push_back("minimum-difficulty");
        values["minimum-difficulty.value"] = number(minimum);
    }
    request_and_wait(Waiting::kConfigure, kConfigureTimeout, "mining.configure", json::array({extensions, values}));
}

void StratumSession::send_subscribe() {
    json params = json::array({options_.agent});
    if (!options_.resume_session.empty()) params.push_back(options_.resume_session);
    request_and_wait(Waiting::kSubscribe, kLoginTimeout, "mining.subscribe", params);
}

void StratumSession::send_authorize() {
    if (options_.extranonce_subscribe && !extranonce_granted_) request("mining.extranonce.subscribe", json::array());
    request_and_wait(Waiting::kAuthorize, kLoginTimeout, "mining.authorize",
                     json::array({options_.user, options_.password}));
}

void StratumSession::handle_line(std::string_view line) {
    const StratumMessage message = parse_stratum_line(line);
    if (message.is_reply()) {
        handle_reply(message);
    } else {
        handle_call(message);
    }
}

void StratumSession::handle_reply(const StratumMessage& message) {
    if (!message.number || *message.number <= 0) return;
    const auto id = static_cast<std::uint64_t>(*message.number);
    if (shares_.erase(id) != 0) return handler_.share_answered(id, answer_of(message));
    if (id == suggestion_ && message.refusal) suggestion_refusal_ = message.refusal->sentence();
    const auto found = requests_.find(id);
    if (found == requests_.end()) return;
    const Waiting for_what = found->second;
    requests_.erase(found);
    if (for_what == Waiting::kConfigure) return configured(message);
    waiting_ = Waiting::kNothing;
    if (for_what == Waiting::kSubscribe) {
        subscribed(message);
    } else {
        authorized(message);
    }
}

void StratumSession::configured(const StratumMessage& reply) {
    const json& result = reply.result;
    if (!reply.refusal && result.is_object()) {
        extranonce_granted_ = is_true(result, "subscribe-extranonce");
        rolling_ = is_true(result, "version-rolling");
        if (rolling_) version_mask_ = read_mask(result.value("version-rolling.mask", json())).value_or(0);
    }
    if (waiting_ != Waiting::kConfigure) return;  // too late for all else
    send_subscribe();
}

void StratumSession::subscribed(const StratumMessage& reply) {
    if (reply.refusal) {
        if (options_.resume_session.empty()) {
            return refuse("the pool refuses the subscription: " + reply.refusal->sentence());
        }
        options_.resume_session.clear();  // perhaps only the old session
        return send_subscribe();
    }
    if (!reply.result.is_array() || reply.result.size() < 3) {
        throw ProtocolError("mining.subscribe: expected a list of three elements");
    }
    set_extranonce("mining.subscribe", reply.result[1], reply.result[2]);
    subscribed_ = true;
    Subscription subscription;
    subscription.session = session_id(reply.result[0]);
    subscription.extranonce1 = to_hex(extranonce1_);
    subscription.extranonce2_size = extranonce2_size_;
    subscription.resumed = options_.resume_extranonce1 && *options_.resume_extranonce1 == subscription.extranonce1;
    handler_.subscribed(subscription);
    suggest();  // so that the pool knows it before the first job; but ckpool hangs up where nobody is subscribed yet
    send_authorize();
    if (early_) make_job(*std::exchange(early_, std::nullopt));
}

void StratumSession::authorized(const StratumMessage& reply) {
    if (reply.refusal) {
        return refuse(
            fmt::format("the pool refuses user {}: {}", quoted_text(options_.user, 100), reply.refusal->sentence()));
    }
    authorized_ = true;
    if (!job_) {
        waiting_ = Waiting::kJob;
        deadline_ = now_ + kFirstJobTimeout;
    }
    suggest();  // some pools listen only now
    handler_.logged_in();
}

void StratumSession::warn(std::string sentence) {
    if (warnings_++ < kMostWarnings) handler_.warning(std::move(sentence));
}

void StratumSession::refuse(std::string sentence) {
    if (std::exchange(over_, true)) return;
    handler_.refused(std::move(sentence));
}

void StratumSession::fail(std::string sentence) {
    if (std::exchange(over_, true)) return;
    handler_.protocol_error(std::move(sentence));
}

}  // namespace gpuminer::net
