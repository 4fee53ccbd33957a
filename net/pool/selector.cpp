#include "net/pool/selector.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "net/pool/reconnect_policy.hpp"

namespace gpuminer::net {
namespace {

using std::chrono::milliseconds;
using Cause = ConnectionEnded::Cause;

}  // namespace

PoolSelector::PoolSelector(EventLoop& loop, const PoolOptions& options, const PoolTiming& timing, std::uint64_t seed,
                           Functions functions)
    : options_(options),
      timing_(timing),
      functions_(std::move(functions)),
      schedule_(options, seed),
      retry_(loop),
      better_(loop) {}

void PoolSelector::start() { wait_for_rate(steady_now()); }

void PoolSelector::stop() {
    stopped_ = true;
    retry_.cancel();
    better_.cancel();
    candidate_.reset();
}

void PoolSelector::wait_for_rate(SteadyTime since) {
    if (functions_.rate_known() || steady_now() - since >= timing_.wait_for_rate) return begin_round();
    retry_.start(milliseconds(50), [this, since] { wait_for_rate(since); });
}

std::size_t PoolSelector::pools_before() const { return in_use_ ? schedule_.rank_of(*in_use_) : options_.pools.size(); }

void PoolSelector::prefer(std::size_t pool) {
    if (stopped_) return;
    schedule_.prefer(pool);
    if (candidate_ && candidate_->pool() == pool) return;
    candidate_.reset();
    without_extensions_ = false;
    retry_.cancel();
    better_.cancel();
    if (in_use_ != pool) begin_round();
}

void PoolSelector::begin_round() {
    schedule_.begin_round(pools_before());
    try_next();
}

void PoolSelector::try_next() {
    if (stopped_) return;
    if (const auto pool = schedule_.next(steady_now())) return connect(*pool);
    if (in_use_) return look_for_better();
    const auto pause = schedule_.pause_after_round(steady_now());
    if (!pause) return functions_.give_up(Outcome::kRefused, schedule_.sentence());
    connect_after(*pause);
}

void PoolSelector::connect(std::size_t pool) {
    const Endpoint& url = schedule_.url(pool);
    functions_.say(Severity::kInfo, fmt::format("connecting to {}", url.text));
    if (url.tls && options_.tls.insecure && options_.tls.fingerprint.empty()) {
        functions_.say(
            Severity::kWarning,
            fmt::format("--insecure: {} is not verified; anyone on the way to it can read the login and take the work",
                        url.host));
    }
    try {
        candidate_ = functions_.connect(pool, url, !without_extensions_);
    } catch (const std::exception& error) {  // the certificate file has gone since the start
        functions_.give_up(Outcome::kBadInput, error.what());
    }
}

void PoolSelector::connect_after(milliseconds pause) {
    if (pause >= milliseconds(1000)) {
        functions_.say(Severity::kInfo,
                       fmt::format("next attempt in {:.0f} s", static_cast<double>(pause.count()) / 1000));
    }
    retry_.start(pause, [this] { begin_round(); });
}

void PoolSelector::look_for_better() {
    better_.start(schedule_.pause_before_better(pools_before(), timing_.retry_better_pool, steady_now()),
                  [this] { begin_round(); });
}

void PoolSelector::candidate_logged_in() { schedule_.logged_in(candidate_->pool(), !without_extensions_); }

void PoolSelector::candidate_ended(const ConnectionEnded& ended) {
    const std::size_t pool = candidate_->pool();
    candidate_.reset();
    if (stopped_) return;
    // Some servers close the connection on what they do not know: once more, with less.
    const bool of_extensions =
        ended.cause == Cause::kExtensions || (ended.cause == Cause::kTurnedAway && !schedule_.takes_extensions(pool));
    without_extensions_ = !without_extensions_ && of_extensions;
    if (without_extensions_) return connect(pool);
    if (ended.cause == Cause::kRedirected) return schedule_.postponed(pool, steady_now()) ? try_next() : connect(pool);
    schedule_.failed(pool, ended.cause == Cause::kLoginRefused, ended.sentence);
    functions_.say(in_use_ ? Severity::kInfo : Severity::kWarning, ended.sentence);
    try_next();
}

std::unique_ptr<PoolConnection> PoolSelector::take_candidate() {
    in_use_ = candidate_->pool();
    without_extensions_ = false;
    if (pools_before() > 0) look_for_better();
    return std::move(candidate_);
}

bool PoolSelector::redirect(const PoolConnection& connection, const ReconnectRequested& request) {
    const Endpoint& from = connection.url();
    try {
        const Endpoint to = redirected(from, request.host, request.port);
        const bool elsewhere = to.host != from.host || to.port != from.port;
        if (elsewhere && !options_.redirect) {
            throw NetworkError(fmt::format("the pool asks to connect to {}, but --no-redirect is given", to.text));
        }
        if (!schedule_.redirect(connection.pool(), elsewhere ? to : from)) {
            throw NetworkError("the pool keeps asking to connect elsewhere");
        }
        functions_.say(Severity::kInfo,
                       fmt::format("{} asks to connect to {}", from.text, elsewhere ? to.text : "it again"));
    } catch (const NetworkError& error) {
        functions_.say(Severity::kWarning, fmt::format("{}: not followed", error.what()));
        return false;
    }
    const auto wait = std::clamp<milliseconds>(request.wait, milliseconds(0), std::chrono::minutes(5));
    schedule_.postpone(connection.pool(), steady_now() + wait);
    return true;
}

void PoolSelector::lost(std::size_t pool, bool was_long) {
    none_in_use();
    if (candidate_) return;  // the other pools follow where it fails
    if (schedule_.postponed(pool, steady_now())) return begin_round();
    connect_after(schedule_.pause_after_session(was_long));
}

void PoolSelector::lost_unused(std::size_t pool, const std::string& sentence) {
    schedule_.failed(pool, false, sentence);
    none_in_use();
    if (!candidate_) try_next();  // the round in which it was connected to goes on
}

void PoolSelector::none_in_use() {
    in_use_.reset();
    better_.cancel();
    schedule_.widen_round();
}

}  // namespace gpuminer::net
