#include "net/pool/supervisor.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "host/errors.hpp"
#include "net/pool/job.hpp"
#include "net/pool/messages.hpp"
#include "net/pool/reconnect_policy.hpp"
#include "net/transport/tls.hpp"

namespace gpuminer::net {
namespace {

using std::chrono::milliseconds;

constexpr double kShareSeconds = 7.5;  // between shares, as the suggested difficulty is to have it

SteadyTime now() { return std::chrono::steady_clock::now(); }

}  // namespace

PoolSupervisor::PoolSupervisor(EventLoop& loop, const PoolOptions& options, const WorkCallbacks& callbacks,
                               const PoolTiming& timing, Journal& journal, PoolStats& stats,
                               std::function<void()> changed)
    : loop_(loop),
      options_(options),
      callbacks_(callbacks),
      timing_(timing),
      stats_(stats),
      changed_(std::move(changed)),
      shares_(options, timing, journal, stats,
              [this](Severity severity, const std::string& sentence) { say(severity, sentence); }),
      messages_([this](Severity severity, const std::string& sentence) { say(severity, sentence); }),
      random_((std::uint64_t{std::random_device{}()} << 32) | std::random_device{}()),
      schedule_(options, random_()),
      retry_(loop),
      better_(loop),
      retirement_(loop),
      ticker_(loop) {
    for (std::size_t i = 0; i < options.pools.size(); ++i) works_.push_back(std::make_shared<RecentWork>(random_()));
    check_tls_options(options.tls);
}

void PoolSupervisor::start() { wait_for_rate(now()); }

void PoolSupervisor::take(const JobHit& found) {
    if (!over_) shares_.take(found, current_.get());
}

void PoolSupervisor::finish() {
    finishing_ = true;
    retry_.cancel();
    better_.cancel();
    candidate_.reset();
    changed_();
}

bool PoolSupervisor::idle() {
    if (over_) return true;
    const bool retired = !retiring_ || shares_.under_way(retiring_->number()) == 0;
    return retired && (!current_ || shares_.idle(*current_));
}

void PoolSupervisor::wait_for_rate(SteadyTime since) {
    const bool known = options_.suggest_difficulty || hash_rate() > 0;
    if (!known && now() - since < timing_.rate_known) {
        return retry_.start(milliseconds(50), [this, since] { wait_for_rate(since); });
    }
    ticker_.start(timing_.tick, [this] { tick(); });
    begin_round();
}

void PoolSupervisor::begin_round() {
    schedule_.begin_round(current_ ? current_->pool() : options_.pools.size());
    try_next();
}

void PoolSupervisor::try_next() {
    if (over_ || finishing_) return;
    if (const auto pool = schedule_.next(now())) return connect(*pool);
    if (current_) return look_for_better();
    const auto pause = schedule_.pause_after_round(now());
    if (!pause) return end(Outcome::kRefused, schedule_.sentence());
    connect_after(*pause);
}

void PoolSupervisor::look_for_better() {
    better_.start(schedule_.pause_before_better(current_->pool(), timing_.better_pool, now()),
                  [this] { begin_round(); });
}

void PoolSupervisor::connect_after(milliseconds pause) {
    if (pause >= milliseconds(1000)) {
        say(Severity::kInfo, fmt::format("next attempt in {:.0f} s", static_cast<double>(pause.count()) / 1000));
    }
    retry_.start(pause, [this] { begin_round(); });
}

void PoolSupervisor::connect(std::size_t pool) {
    const PoolLogin& login = options_.pools[pool];
    const Endpoint& url = schedule_.url(pool);
    say(Severity::kInfo, fmt::format("connecting to {}", url.text));
    if (url.tls && options_.tls.insecure && options_.tls.fingerprint.empty()) {
        say(Severity::kWarning, fmt::format("--insecure: nobody verifies that this is {}; whoever is on the way "
                                            "to it can read the login and take the work",
                                            url.host));
    }
    StratumOptions stratum;
    stratum.user = login.user;
    stratum.password = login.password;
    stratum.agent = options_.agent;
    stratum.suggest_difficulty = suggestion();
    stratum.resume_session = shares_.last_session(pool).session;
    stratum.resume_extranonce1 = shares_.last_session(pool).extranonce1;
    stratum.configure = stratum.extranonce_subscribe = !without_extensions_;
    if (without_extensions_) stratum.suggest_difficulty.reset();
    stratum.works = works_[pool];
    stratum.clock = now;
    try {
        candidate_ = std::make_unique<PoolConnection>(loop_, *this, pool, ++connections_, url, options_,
                                                      std::move(stratum), timing_);
    } catch (const std::exception& error) {  // the certificate file has gone since the start
        end(Outcome::kBadInput, error.what());
    }
}

void PoolSupervisor::ended(PoolConnection& session, bool refused, const std::string& sentence) {
    const std::size_t pool = session.pool();
    const bool redirected = redirected_ == &session;
    if (redirected) redirected_ = nullptr;
    stats_.failed(pool, sentence);
    shares_.connection_lost(session.number());
    if (&session == retiring_.get()) {
        retiring_.reset();
    } else if (&session == current_.get()) {
        judge_current(false);
        const bool was_long = now() - session.logged_in_at() >= timing_.long_session;
        current_.reset();
        current_lost(pool, was_long, redirected, sentence);
    } else {
        // Some servers hang up on what they do not know: once more, with less.
        without_extensions_ = !without_extensions_ && !refused && !redirected && session.turned_away() &&
                              !schedule_.takes_extensions(pool);
        candidate_.reset();
        candidate_failed(pool, refused, redirected, sentence);
    }
    changed_();
}

void PoolSupervisor::current_lost(std::size_t pool, bool was_long, bool redirected, const std::string& sentence) {
    stats_.disconnected();
    if (over_) return;
    callbacks_.new_job(nullptr);
    if (finishing_) return;
    const bool failed = !worked_ && !redirected;
    say(Severity::kWarning, failed ? sentence : fmt::format("{}; connecting again", sentence));
    if (failed) schedule_.failed(pool, false, sentence);
    better_.cancel();
    schedule_.widen_round();
    if (candidate_) return;         // it is on its way; the other pools follow
    if (failed) return try_next();  // the round in which it was connected to goes on
    if (schedule_.postponed(pool, now())) return begin_round();
    connect_after(schedule_.pause_after_session(was_long));
}

void PoolSupervisor::candidate_failed(std::size_t pool, bool refused, bool redirected, const std::string& sentence) {
    if (over_ || finishing_) return;
    if (redirected) return schedule_.postponed(pool, now()) ? try_next() : connect(pool);
    if (without_extensions_) return connect(pool);
    schedule_.failed(pool, refused, sentence);
    say(current_ ? Severity::kInfo : Severity::kWarning, sentence);
    try_next();
}

bool PoolSupervisor::reconnect(PoolConnection& session, const std::string& host, std::uint16_t port,
                               std::chrono::seconds wait) {
    if (&session == retiring_.get()) return false;
    if (&session == current_.get()) judge_current(false);
    const Endpoint& from = session.url();
    try {
        const Endpoint to = redirected(from, host, port);
        const bool elsewhere = to.host != from.host || to.port != from.port;
        if (elsewhere && !options_.redirect) {
            throw NetworkError(fmt::format("the pool asks to connect to {}, but --no-redirect is given", to.text));
        }
        if (!schedule_.redirect(session.pool(), elsewhere ? to : from)) {
            throw NetworkError("the pool asks to connect elsewhere again and again");
        }
        say(Severity::kInfo, fmt::format("{} asks to connect to {}", from.text, elsewhere ? to.text : "it again"));
    } catch (const NetworkError& error) {
        say(Severity::kWarning, fmt::format("{}: not followed", error.what()));
        return false;
    }
    schedule_.postpone(session.pool(),
                       now() + std::clamp<milliseconds>(wait, milliseconds(0), std::chrono::minutes(5)));
    redirected_ = &session;
    return true;
}

void PoolSupervisor::logged_in(PoolConnection& session) {
    if (&session != candidate_.get()) return;
    schedule_.logged_in(session.pool(), !without_extensions_);
    if (current_ && !session.stratum().current_job()) return;  // the one in use works on until there is a job
    take_over();
}

void PoolSupervisor::take_over() {
    if (current_) {  // answers may still come
        retire();    // the one before
        retiring_ = std::move(current_);
        retirement_.start(std::chrono::seconds(10), [this] { retire(); });
    }
    current_ = std::move(candidate_);
    PoolConnection& session = *current_;
    without_extensions_ = worked_ = false;
    refusals_ = 0;
    messages_.new_session();
    stats_.connected(session.pool(), session.url().text, session.subscription());
    shares_.send_waiting(session);
    if (session.pool() > 0) look_for_better();
    if (session.stratum().current_job()) new_job(session, session.stratum().current_job());
}

void PoolSupervisor::judge_current(bool accepted) {
    const bool lasted = current_->stratum().current_job() && now() - current_->logged_in_at() >= timing_.long_session;
    if (worked_ || !(lasted || accepted)) return;
    worked_ = true;
    schedule_.worked(current_->pool());
}

void PoolSupervisor::retire() {
    if (!retiring_) return;
    shares_.connection_lost(retiring_->number());
    retiring_.reset();
    changed_();
}

void PoolSupervisor::tick() {
    ticker_.start(timing_.tick, [this] { tick(); });
    if (!current_) return;
    judge_current(false);
    if (!over_) shares_.send_waiting(*current_);                // those whose turn has come
    if (!schedule_.takes_extensions(current_->pool())) return;  // it hung up on them, or on a suggestion
    const double rate = hash_rate();
    const bool much_changed = rate > 0 && (rate > 2 * suggested_rate_ || rate < suggested_rate_ / 2);
    if (options_.suggest_difficulty || !much_changed || now() - suggested_at_ < std::chrono::minutes(1)) return;
    current_->stratum().set_suggested_difficulty(*suggestion());
}

void PoolSupervisor::subscribed(PoolConnection& session, const Subscription& subscription) {
    shares_.subscribed(session.pool(), subscription);
}

void PoolSupervisor::new_job(PoolConnection& session, std::shared_ptr<const StratumJob> job) {
    if (over_ || finishing_) return;
    if (&session == candidate_.get() && session.logged_in_at() != SteadyTime{}) return take_over();
    if (&session != current_.get()) return;  // a candidate's waits for its login
    stats_.job(*job);
    callbacks_.new_job(std::make_shared<PoolJob>(job, session.pool(), session.number()));
    messages_.job(session.url().text, options_.pools[session.pool()].user, *job, hash_rate());
}

void PoolSupervisor::answered(PoolConnection& session, std::uint64_t request, const ShareReply& answer) {
    shares_.answered(session, request, answer);
    if (&session == current_.get()) {
        judge_current(answer.accepted);
        count_refusal(session, answer);
    }
    if (shares_.enough()) have_enough();
    changed_();
}

void PoolSupervisor::count_refusal(PoolConnection& session, const ShareReply& answer) {
    constexpr unsigned kMostRefusals = 20;
    if (answer.stale || answer.duplicate) return;
    refusals_ = answer.accepted ? 0 : refusals_ + 1;
    if (answer.accepted) schedule_.takes_shares(session.pool());
    if (refusals_ != kMostRefusals) return;
    // A ban, perhaps, which more of them would make longer.
    const std::chrono::minutes pause = schedule_.refuses_shares(session.pool(), now());
    session.give_up(fmt::format("the pool has refused {} shares in a row, the last one as {}; it is left for {} min",
                                kMostRefusals, quoted_text(answer.reason, 100), pause.count()));
}

void PoolSupervisor::have_enough() {
    if (std::exchange(enough_, true)) return;
    finish();
    callbacks_.new_job(nullptr);
    callbacks_.over(Outcome::kEnough, "");
}

double PoolSupervisor::hash_rate() const { return callbacks_.hash_rate ? callbacks_.hash_rate() : 0; }

std::optional<double> PoolSupervisor::suggestion() {
    if (options_.suggest_difficulty) return options_.suggest_difficulty;
    const double rate = hash_rate();
    if (!(rate > 0)) return std::nullopt;
    suggested_rate_ = rate;
    suggested_at_ = now();
    return rate * kShareSeconds / 4294967296.0;
}

void PoolSupervisor::say(Severity severity, const std::string& sentence) {
    if (callbacks_.say) callbacks_.say(severity, sentence);
}

void PoolSupervisor::end(Outcome outcome, const std::string& sentence) {
    if (std::exchange(over_, true)) return;
    retry_.cancel();
    better_.cancel();
    stats_.disconnected();
    loop_.post([this] {
        candidate_.reset();
        current_.reset();
        retiring_.reset();
    });
    callbacks_.new_job(nullptr);
    callbacks_.over(outcome, sentence);
    changed_();
}

}  // namespace gpuminer::net
