#include "net/stratum/session.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/stratum/message.hpp"
#include "net/stratum/requests.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr seconds kConfigureTimeout{3};   // so that mining.subscribe is answered before the pool is called silent (5 s)
constexpr seconds kLoginTimeout{30};      // for subscribe and for authorize
constexpr seconds kFirstJobTimeout{120};  // after the login; public-pool may take a minute
constexpr seconds kAskForJobAfter{1};     // after the login, where there is no job yet
constexpr seconds kKeepAlive{120};        // goPool closes a connection on which nothing came for three minutes
constexpr unsigned kMostWarnings = 10;
constexpr std::size_t kMostUnanswered = 100'000;  // of a pool that never answers

}  // namespace

StratumSession::StratumSession(StratumOptions options) : options_(std::move(options)) {
    if (!options_.recent_work) options_.recent_work = std::make_shared<RecentWork>();
    if (!options_.dialect->suggests_difficulty) options_.suggest_difficulty.reset();
}

StratumEvents StratumSession::start(SteadyTime now) {
    now_ = now;
    if (options_.configure && options_.dialect->configures) {
        send_configure();
    } else {
        send_subscribe();
    }
    return take_events();
}

std::optional<StratumEvents> StratumSession::next(std::string& received, SteadyTime now) {
    std::optional<StratumEvents> events;
    std::size_t begin = 0;
    while (!over_ && !events) {
        const std::size_t end = std::min(received.find('\n', begin + searched_), received.size());
        if (end - begin > kLongestStratumLine) {
            now_ = now;
            fail("the pool sent a line of more than 1 MiB");
            events = take_events();
            break;
        }
        const bool is_whole = end < received.size();
        searched_ = is_whole ? 0 : end - begin;
        if (!is_whole) break;
        const std::string_view text = trimmed(std::string_view(received).substr(begin, end - begin));
        begin = end + 1;
        if (!text.empty()) events = line(text, now);
    }
    received.erase(0, begin);
    return events;
}

StratumEvents StratumSession::line(std::string_view line, SteadyTime now) {
    now_ = now;
    try {
        const StratumMessage message = parse_stratum_line(line);
        if (message.is_reply()) {
            handle_reply(message);
        } else {
            handle_call(message);
        }
    } catch (const OtherAlgorithmError& error) {
        fail(error.what());
    } catch (const ProtocolError& error) {
        bad_line(error.what());
    }
    return take_events();
}

StratumEvents StratumSession::tick(SteadyTime now) {
    if (over_) return {};
    now_ = now;
    // goPool looks whether it owes a first job only when something comes.
    const bool wants_job = awaiting_ == Awaiting::kFirstJob && deadline_ - now <= kFirstJobTimeout - kAskForJobAfter;
    const bool asks_for_job = wants_job && !std::exchange(first_job_requested_, true);
    if (ready() && (asks_for_job || now - last_sent_ >= kKeepAlive)) send_keep_alive();
    go_on_with_job();
    if (awaiting_ == Awaiting::kNothing || now < deadline_) return take_events();
    switch (std::exchange(awaiting_, Awaiting::kNothing)) {
        case Awaiting::kNothing: break;
        case Awaiting::kConfigure: send_subscribe(); break;  // a pool that ignores it; a late reply still counts
        case Awaiting::kSubscribe:
            fail(fmt::format("the pool did not answer mining.subscribe within {} s", kLoginTimeout.count()));
            break;
        case Awaiting::kAuthorize:
            fail(fmt::format("the pool did not answer mining.authorize within {} s", kLoginTimeout.count()));
            break;
        case Awaiting::kFirstJob:
            fail(fmt::format("the pool gave no work within {} s", kFirstJobTimeout.count()));
            break;
    }
    return take_events();
}

StratumEvents StratumSession::set_suggested_difficulty(double difficulty, SteadyTime now, bool again) {
    if (!options_.dialect->suggests_difficulty || !std::isfinite(difficulty) || difficulty <= 0) return {};
    now_ = now;
    options_.suggest_difficulty = difficulty;
    const bool differs = !suggested_ || std::abs(difficulty - *suggested_) > *suggested_ / 10;
    if (ready() && (differs || again)) send_suggestion();
    return take_events();
}

void StratumSession::set_rolling(VersionRolling rolling, SteadyTime now) {
    now_ = now;
    options_.rolling = rolling;
    if (job_) repeat_job();
    (void)take_events();
}

SubmitDecision StratumSession::assess(const StratumShare& share, bool again) const {
    if (!ready()) return SubmitDecision::kNotYet;
    if (submitted_.contains(share.hash)) return SubmitDecision::kDuplicate;
    const bool known = std::find(valid_jobs_.begin(), valid_jobs_.end(), share.job_id) != valid_jobs_.end();
    if (share.solves_block) return SubmitDecision::kSend;
    if (raised_ && share.job_id == job_->id() && share.hash > job_->target()) return SubmitDecision::kTooEasy;
    return known || again ? SubmitDecision::kSend : SubmitDecision::kStale;
}

std::optional<SubmitRequest> StratumSession::submit(const StratumShare& share, SteadyTime now, bool again) {
    if (assess(share, again) != SubmitDecision::kSend) return std::nullopt;
    now_ = now;
    SubmitRequest submit;
    submit.id = next_id_;
    submit.bytes = make_request("mining.submit", options_.dialect->submit_params(options_.user, share, rolling_));
    submitted_.insert(share.hash);
    in_flight_.emplace(submit.id, share.difficulty);
    if (in_flight_.size() > kMostUnanswered) in_flight_.erase(in_flight_.begin());
    return submit;
}

std::string StratumSession::make_request(std::string_view method, const json& params) {
    last_sent_ = now_;
    return stratum_request(next_id_++, method, params) + '\n';
}

void StratumSession::request(std::string_view method, const json& params) {
    events_.emplace_back(Send{make_request(method, params)});
}

void StratumSession::request_and_await(Awaiting what, std::string_view method, const json& params) {
    login_requests_[next_id_] = what;
    await(what);
    request(method, params);
}

void StratumSession::await(Awaiting what) {
    awaiting_ = what;
    deadline_ = now_ + (what == Awaiting::kConfigure  ? kConfigureTimeout
                        : what == Awaiting::kFirstJob ? kFirstJobTimeout
                                                      : kLoginTimeout);
}

void StratumSession::send_configure() {
    request_and_await(Awaiting::kConfigure, "mining.configure", configure_params(options_.suggest_difficulty));
}

void StratumSession::send_subscribe() {
    request_and_await(Awaiting::kSubscribe, "mining.subscribe",
                      subscribe_params(options_.agent, options_.resume_session));
}

void StratumSession::send_authorize() {
    if (options_.extranonce_subscribe && !extranonce_granted_) request("mining.extranonce.subscribe", json::array());
    request_and_await(Awaiting::kAuthorize, "mining.authorize", json::array({options_.user, options_.password}));
}

void StratumSession::send_suggestion() {
    if (!options_.suggest_difficulty) return;
    suggested_ = options_.suggest_difficulty;
    suggestion_request_ = next_id_;
    request("mining.suggest_difficulty", suggest_difficulty_params(*suggested_));
}

// A request that changes nothing.
void StratumSession::send_keep_alive() {
    last_sent_ = now_;
    if (options_.suggest_difficulty) return send_suggestion();
    if (options_.extranonce_subscribe) request("mining.extranonce.subscribe", json::array());
}

void StratumSession::bad_line(const std::string& flaw) {
    constexpr std::size_t kMostBadLines = 10;
    constexpr seconds kWithin{60};
    bad_lines_.push_back(now_);
    if (bad_lines_.size() > kMostBadLines) bad_lines_.pop_front();
    const bool many = bad_lines_.size() == kMostBadLines && now_ - bad_lines_.front() < kWithin;
    if (!had_job_ || many) return fail("the pool does not speak Stratum: " + flaw);
    warn("a line of the pool is ignored: " + flaw);
}

void StratumSession::warn(std::string sentence) {
    if (warnings_++ < kMostWarnings) events_.emplace_back(Warning{std::move(sentence)});
}

void StratumSession::refuse(std::string sentence) {
    if (!std::exchange(over_, true)) events_.emplace_back(LoginRefused{std::move(sentence)});
}

void StratumSession::fail(std::string sentence) {
    if (!std::exchange(over_, true)) events_.emplace_back(ProtocolViolation{std::move(sentence)});
}

StratumEvents StratumSession::take_events() { return std::exchange(events_, {}); }

}  // namespace gpuminer::net
