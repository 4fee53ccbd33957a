#include "net/pool/supervisor.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "net/stratum/session.hpp"
#include "net/sv2/secured_session.hpp"
#include "net/transport/tls.hpp"

namespace gpuminer::net {
namespace {

using Cause = ConnectionEnded::Cause;

constexpr std::chrono::seconds kRetirement{10};  // for replies on a connection that was replaced

std::uint64_t random_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

PoolSupervisor::PoolSupervisor(EventLoop& loop, const PoolOptions& options, const WorkCallbacks& callbacks,
                               const PoolTiming& timing, Journal& journal, PoolStats& stats,
                               std::function<void()> changed)
    : loop_(loop),
      options_(options),
      dialect_(dialect_of(*options.algorithm)),
      callbacks_(callbacks),
      timing_(timing),
      journal_(journal),
      stats_(stats),
      changed_(std::move(changed)),
      message_limit_(300, 2, callbacks.say),
      shares_(options, timing, journal, stats,
              [this](Severity severity, const std::string& sentence) { say(severity, sentence); }),
      messages_([this](Severity severity, const std::string& sentence) { say(severity, sentence); },
                dialect_.suggests_difficulty),
      suggestion_(options.suggest_difficulty),
      random_(timing.seed ? *timing.seed : random_seed()),
      selector_(loop, options, timing, random_(),
                {.connect = [this](std::size_t pool, const Endpoint& url,
                                   bool extensions) { return connect(pool, url, extensions); },
                 .rate_known = [this] { return !suggests_with_rate() || hash_rate() > 0; },
                 .say = [this](Severity severity, const std::string& sentence) { say(severity, sentence); },
                 .give_up = [this](Outcome outcome, const std::string& sentence) { end(outcome, sentence); }}),
      judge_(selector_.schedule()),
      retirement_(loop),
      ticker_(loop),
      disk_(loop) {
    for (std::size_t i = 0; i < options.pools.size(); ++i) {
        recent_work_.push_back(std::make_shared<RecentWork>(random_()));
    }
    check_tls_options(options.tls);
}

void PoolSupervisor::start() {
    tick();
    selector_.start();
}

void PoolSupervisor::take(const JobHit& found) {
    if (over_) return;
    if (shares_.take(found, current_.get())) ask_for_more_difficulty();
    if (retiring_) shares_.send_waiting(*retiring_);
    watch_disk();
}

void PoolSupervisor::journal_changed() {
    (void)journal_.released();  // notes a disk that is late, also where there is no pool to send to
    shares_.take_up();
    for (PoolConnection* const connection : {retiring_.get(), current_.get()}) {
        if (connection != nullptr && !over_) shares_.send_waiting(*connection);
    }
    watch_disk();
    changed_();
}

void PoolSupervisor::watch_disk() {
    const auto until = journal_.next_release();
    if (!until) return disk_.cancel();
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(*until - steady_now());
    disk_.start(std::max(wait, std::chrono::milliseconds(0)), [this] { journal_changed(); });
}

void PoolSupervisor::finish() {
    finishing_ = true;
    journal_.hurry();
    watch_disk();
    selector_.stop();
    changed_();
}

bool PoolSupervisor::idle() {
    if (over_) return true;
    const bool retired = !retiring_ || shares_.idle(*retiring_);
    return retired && (!current_ || shares_.idle(*current_));
}

std::unique_ptr<PoolConnection> PoolSupervisor::connect(std::size_t pool, const Endpoint& url, bool extensions) {
    const JobOrigin origin{pool, ++connections_};
    auto session = url.stratum_v2 ? make_v2_session(origin, url, extensions) : make_v1_session(origin, extensions);
    return std::make_unique<PoolConnection>(
        loop_, url, options_, origin, std::move(session), timing_,
        [this](PoolConnection& connection, PoolEvents events) { handle(connection, std::move(events)); });
}

std::unique_ptr<PoolSession> PoolSupervisor::make_v1_session(const JobOrigin& origin, bool extensions) {
    const std::size_t pool = origin.pool;
    StratumOptions stratum;
    stratum.user = options_.pools[pool].user;
    stratum.password = options_.pools[pool].password;
    stratum.agent = options_.agent;
    stratum.dialect = &dialect_;
    stratum.resume_session = shares_.last_session(pool).session;
    stratum.resume_extranonce1 = shares_.last_session(pool).extranonce1;
    stratum.configure = stratum.extranonce_subscribe = extensions;
    if (extensions) stratum.suggest_difficulty = suggestion_.value(hash_rate(), steady_now());
    stratum.recent_work = recent_work_[pool];
    stratum.origin = origin;
    stratum.clock = steady_now;
    stratum.rolling = selector_.schedule().rolling(pool);
    return std::make_unique<StratumSession>(std::move(stratum));
}

std::unique_ptr<PoolSession> PoolSupervisor::make_v2_session(const JobOrigin& origin, const Endpoint& url,
                                                             bool extensions) {
    sv2::Options stratum;
    stratum.user = options_.pools[origin.pool].user;
    stratum.agent = options_.agent;
    stratum.host = url.host;
    stratum.port = url.port;
    stratum.suggest_difficulty = options_.suggest_difficulty;
    stratum.hash_rate = [this] { return options_.advertised_rate.value_or(hash_rate()); };
    stratum.channels = options_.channels;
    stratum.standard_jobs = extensions;
    stratum.recent_work = recent_work_[origin.pool];
    stratum.origin = origin;
    stratum.clock = steady_now;
    return std::make_unique<sv2::SecuredSession>(
        std::move(stratum), sv2::Security{.authority = url.authority, .wall_clock = std::chrono::system_clock::now});
}

void PoolSupervisor::use_pool(std::size_t pool) {
    if (over_ || finishing_) return;
    say(Severity::kInfo, fmt::format("{} is now the preferred pool", options_.pools[pool].url.text));
    selector_.prefer(pool);
}

void PoolSupervisor::handle(PoolConnection& connection, PoolEvents events) {
    std::optional<ConnectionEnded> end;
    for (PoolEvent& any : events) {
        std::visit(Overloaded{
                       [&](const Subscribed& event) { shares_.subscribed(connection.pool(), event.subscription); },
                       [&](const LoggedIn&) { logged_in(connection); },
                       [&](const NewJob& event) { new_job(connection, event.job); },
                       [&](const ShareReplied& event) { end = share_replied(connection, event); },
                       [&](const ReconnectRequested& event) { end = reconnect(connection, event); },
                       [&](const Message& event) { say(event.severity, event.text); },
                       [&](ConnectionEnded& event) { end = std::move(event); },
                   },
                   any);
        if (end) return ended(connection, *end);
    }
}

void PoolSupervisor::logged_in(PoolConnection& connection) {
    if (&connection != selector_.candidate()) return;
    selector_.candidate_logged_in();
    // The one in use stays so until there is a job.
    if (!current_ || connection.session().current_job()) take_over();
}

void PoolSupervisor::new_job(PoolConnection& connection, const std::shared_ptr<const StratumJob>& job) {
    if (over_ || finishing_) return;
    if (!job) {
        if (&connection != current_.get()) return;
        stats_.unreadable_job();
        return callbacks_.new_job(nullptr);
    }
    if (&connection == selector_.candidate() && connection.logged_in_at()) return take_over();
    if (&connection != current_.get()) return;  // a candidate's waits for its login
    stats_.job(*job, payment_text(*job, options_.pools[connection.pool()].user));
    callbacks_.new_job(job);
    messages_.job(connection.url().text, options_.pools[connection.pool()].user, *job, hash_rate());
}

std::optional<ConnectionEnded> PoolSupervisor::share_replied(PoolConnection& connection, const ShareReplied& event) {
    const auto answered = shares_.replied(connection, event.request, event.reply);
    if (answered && callbacks_.answered) callbacks_.answered(answered_find(*answered, connection.url().text));
    std::optional<ConnectionEnded> end;
    if (&connection == current_.get()) end = judge_reply(event.reply, answered);
    if (shares_.enough()) have_enough();
    changed_();
    return end;
}

std::optional<ConnectionEnded> PoolSupervisor::judge_reply(const ShareReply& reply,
                                                           const std::optional<AnsweredShare>& answered) {
    if (reply.verdict == SubmitVerdict::kAccepted) judge_.has_worked();
    look_whether_current_has_lasted();
    const std::string pool = current_->url().text;
    if (const auto found = answered ? judge_.find_misreading(answered->pending.share, answered->reply) : std::nullopt) {
        say(Severity::kWarning, fmt::format("{}: {}", pool, found->sentence));
        current_->set_rolling(found->rolling);
        if (const auto job = current_->session().current_job()) new_job(*current_, job);
    }
    // A block that is sent again in Stratum V2 stands for another job there: its refusal says nothing about the pool.
    if (answered && answered->pending.again && current_->url().stratum_v2) return std::nullopt;
    const auto refusal = judge_.count_refusal(reply, steady_now());
    if (!refusal) return std::nullopt;
    return ConnectionEnded{Cause::kFailed, fmt::format("{}: {}", pool, *refusal)};
}

void PoolSupervisor::look_whether_current_has_lasted() {
    if (!current_->session().current_job()) return;
    if (steady_now() - *current_->logged_in_at() >= timing_.trust_after) judge_.has_worked();
}

std::optional<ConnectionEnded> PoolSupervisor::reconnect(const PoolConnection& connection,
                                                         const ReconnectRequested& request) {
    if (&connection == retiring_.get()) return std::nullopt;
    if (&connection == current_.get()) look_whether_current_has_lasted();
    if (!selector_.redirect(connection, request)) return std::nullopt;
    return ConnectionEnded{Cause::kRedirected, fmt::format("{} asks to connect again", connection.url().text)};
}

void PoolSupervisor::ended(PoolConnection& connection, const ConnectionEnded& end) {
    stats_.failed(connection.pool(), end.sentence);
    shares_.connection_lost(connection.number());
    if (&connection == retiring_.get()) {
        retiring_.reset();
    } else if (&connection == current_.get()) {
        current_ended(end);
    } else {
        selector_.candidate_ended(end);
    }
    changed_();
}

void PoolSupervisor::current_ended(const ConnectionEnded& end) {
    look_whether_current_has_lasted();
    const std::size_t pool = current_->pool();
    const bool was_long = steady_now() - *current_->logged_in_at() >= timing_.trust_after;
    current_.reset();
    stats_.disconnected();
    if (over_) return;
    callbacks_.new_job(nullptr);
    if (finishing_) return;
    if (judge_.worked() || end.cause == Cause::kRedirected) {
        say(Severity::kWarning, fmt::format("{}; connecting again", end.sentence));
        selector_.lost(pool, was_long);
    } else {
        say(Severity::kWarning, end.sentence);
        selector_.lost_unused(pool, end.sentence);
    }
}

void PoolSupervisor::take_over() {
    if (current_) {  // replies may still come
        retire();    // the one before
        retiring_ = std::move(current_);
        retirement_.start(kRetirement, [this] { retire(); });
    }
    current_ = selector_.take_candidate();
    if (retiring_ && retiring_->pool() == current_->pool()) retire();  // so that its shares go out on this one
    judge_.begin(current_->pool());
    messages_.new_session();
    stats_.connected(current_->pool(), current_->url().text, current_->subscription());
    shares_.send_waiting(*current_);
    if (const auto job = current_->session().current_job()) new_job(*current_, job);
}

void PoolSupervisor::retire() {
    if (!retiring_) return;
    shares_.connection_lost(retiring_->number());
    retiring_.reset();
    changed_();
}

void PoolSupervisor::tick() {
    ticker_.start(timing_.tick_every, [this] { tick(); });
    shares_.tick();
    if (!current_) return;
    look_whether_current_has_lasted();
    if (!over_) shares_.send_waiting(*current_);  // those whose turn has come
    if (!may_be_asked()) return;
    if (const auto difficulty = suggestion_.update(hash_rate(), steady_now())) {
        current_->set_suggested_difficulty(*difficulty);
    }
}

// Of V1 some do so on any extension. In V2 it is none.
bool PoolSupervisor::may_be_asked() {
    return current_->url().stratum_v2 || selector_.schedule().takes_extensions(current_->pool());
}

void PoolSupervisor::ask_for_more_difficulty() {
    if (!current_ || !may_be_asked()) return;
    if (!dialect_.suggests_difficulty) return;
    const auto job = current_->session().current_job();
    if (!job) return;
    const double difficulty = difficulty_for(job->difficulty(), shares_.interval(), hash_rate());
    say(Severity::kWarning,
        fmt::format("shares come every {:.3g} ms: {} is asked for difficulty {:.4g} in place of {:.4g}",
                    shares_.interval() * 1000, current_->url().text, difficulty, job->difficulty()));
    current_->set_suggested_difficulty(difficulty, true);
}

void PoolSupervisor::have_enough() {
    if (std::exchange(enough_, true)) return;
    finish();
    callbacks_.new_job(nullptr);
    callbacks_.over(Outcome::kEnough, "");
}

void PoolSupervisor::end(Outcome outcome, const std::string& sentence) {
    if (std::exchange(over_, true)) return;
    selector_.stop();
    current_.reset();
    retiring_.reset();
    stats_.disconnected();
    callbacks_.new_job(nullptr);
    callbacks_.over(outcome, sentence);
    changed_();
}

double PoolSupervisor::hash_rate() const { return callbacks_.hash_rate ? callbacks_.hash_rate() : 0; }

void PoolSupervisor::say(Severity severity, const std::string& sentence) {
    message_limit_.say(severity, sentence, steady_now());
}

}  // namespace gpuminer::net
