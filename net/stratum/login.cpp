#include "net/stratum/login.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr seconds kConfigureTimeout{3};  // so that mining.subscribe is answered before the pool is called silent (5 s)
constexpr seconds kLoginTimeout{30};     // for subscribe and for authorize
constexpr seconds kWorkTimeout{120};     // after the login; public-pool may take a minute
constexpr seconds kAskForWorkAfter{1};

}  // namespace

StratumLogin::StratumLogin(const StratumOptions& options, StratumOutput& output)
    : options_(options), output_(output), resume_session_(options.resume_session) {}

void StratumLogin::start() {
    if (!options_.configure || !options_.dialect->configures) return subscribe();
    request(Awaiting::kConfigure, "mining.configure", configure_params(options_.suggest_difficulty));
}

void StratumLogin::subscribe() {
    request(Awaiting::kSubscribe, "mining.subscribe", subscribe_params(options_.agent, resume_session_));
}

void StratumLogin::authorize() {
    if (options_.extranonce_subscribe && !granted_.subscribe_extranonce)
        output_.request("mining.extranonce.subscribe", json::array());
    request(Awaiting::kAuthorize, "mining.authorize", json::array({options_.user, options_.password}));
}

void StratumLogin::request(Awaiting what, std::string_view method, const json& params) {
    requests_[output_.request(method, params)] = what;
    await(what);
}

void StratumLogin::await(Awaiting what) {
    awaiting_ = what;
    deadline_ = output_.now() + (what == Awaiting::kConfigure ? kConfigureTimeout
                                 : what == Awaiting::kWork    ? kWorkTimeout
                                                              : kLoginTimeout);
}

StratumLogin::Step StratumLogin::take_reply(std::uint64_t id, const StratumMessage& reply) {
    const auto request = requests_.extract(id);
    if (!request) return Step::kNone;
    if (request.mapped() == Awaiting::kConfigure) return take_configure_reply(reply);
    awaiting_ = Awaiting::kNothing;
    return request.mapped() == Awaiting::kSubscribe ? take_subscribe_reply(reply) : take_authorize_reply(reply);
}

StratumLogin::Step StratumLogin::take_configure_reply(const StratumMessage& reply) {
    granted_ = read_configure_reply(reply);
    if (awaiting_ == Awaiting::kConfigure) subscribe();  // else it was sent when there was no reply in time
    return Step::kConfigured;
}

StratumLogin::Step StratumLogin::take_subscribe_reply(const StratumMessage& reply) {
    if (reply.refusal) {
        if (resume_session_.empty()) {
            output_.refuse("the pool refuses the subscription: " + reply.refusal->sentence());
        } else {
            resume_session_.clear();  // perhaps only the old session
            subscribe();
        }
        return Step::kNone;
    }
    SubscribeReply read = options_.dialect->read_subscribe_reply(reply);
    extranonce_ = std::move(read.extranonce);
    subscribed_ = true;
    Subscription subscription;
    subscription.session = std::move(read.session);
    subscription.extranonce1 = to_hex(extranonce_.extranonce1);
    subscription.extranonce2_size = extranonce_.extranonce2_size;
    subscription.resumed = options_.resume_extranonce1 && *options_.resume_extranonce1 == subscription.extranonce1;
    output_.add(Subscribed{std::move(subscription)});
    return Step::kSubscribed;
}

StratumLogin::Step StratumLogin::take_authorize_reply(const StratumMessage& reply) {
    if (reply.refusal) {
        output_.refuse(
            fmt::format("the pool refuses user {}: {}", quoted_text(options_.user, 100), reply.refusal->sentence()));
        return Step::kNone;
    }
    logged_in_ = true;
    return Step::kLoggedIn;
}

void StratumLogin::look_at_clock() {
    if (awaiting_ == Awaiting::kNothing || output_.now() < deadline_) return;
    switch (std::exchange(awaiting_, Awaiting::kNothing)) {
        case Awaiting::kNothing: break;
        case Awaiting::kConfigure: subscribe(); break;  // a late reply still counts
        case Awaiting::kSubscribe:
            output_.fail(fmt::format("the pool did not answer mining.subscribe within {} s", kLoginTimeout.count()));
            break;
        case Awaiting::kAuthorize:
            output_.fail(fmt::format("the pool did not answer mining.authorize within {} s", kLoginTimeout.count()));
            break;
        case Awaiting::kWork:
            output_.fail(fmt::format("the pool gave no work within {} s", kWorkTimeout.count()));
            break;
    }
}

void StratumLogin::work_has_come() {
    if (awaiting_ == Awaiting::kWork) awaiting_ = Awaiting::kNothing;
}

bool StratumLogin::asks_for_work() {
    const bool wants = awaiting_ == Awaiting::kWork && deadline_ - output_.now() <= kWorkTimeout - kAskForWorkAfter;
    return wants && !std::exchange(asked_for_work_, true);
}

}  // namespace gpuminer::net
