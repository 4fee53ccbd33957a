#include "net/stratum/session.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/bitcoin/coinbase_view.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr seconds kKeepAlive{120};                // goPool closes a connection on which nothing came for three minutes
constexpr std::size_t kMostUnanswered = 100'000;  // of a pool that never answers
constexpr std::size_t kMostJobs = 1000;           // ids kept of a pool that never sends a clean job

}  // namespace

StratumSession::StratumSession(StratumOptions options) : options_(std::move(options)), login_(options_, output_) {
    if (!options_.recent_work) options_.recent_work = std::make_shared<RecentWork>();
    if (!options_.dialect->suggests_difficulty) options_.suggest_difficulty.reset();
}

StratumEvents StratumSession::start(SteadyTime now) {
    output_.begin(now);
    login_.start();
    return output_.take();
}

std::optional<StratumEvents> StratumSession::next(std::string& received, SteadyTime now) {
    std::optional<StratumEvents> events;
    std::size_t begin = 0;
    while (!output_.over() && !events) {
        const std::size_t end = std::min(received.find('\n', begin + searched_), received.size());
        if (end - begin > kLongestStratumLine) {
            output_.begin(now);
            output_.fail("the pool sent a line of more than 1 MiB");
            events = output_.take();
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
    output_.begin(now);
    try {
        const StratumMessage message = parse_stratum_line(line);
        if (message.is_reply()) {
            handle_reply(message);
        } else {
            handle_call(message);
        }
    } catch (const OtherAlgorithmError& error) {
        output_.fail(error.what());
    } catch (const ProtocolError& error) {
        bad_line(error.what());
    }
    return output_.take();
}

StratumEvents StratumSession::tick(SteadyTime now) {
    if (output_.over()) return {};
    output_.begin(now);
    // goPool looks whether it owes a first job only when something comes.
    if (ready() && (login_.asks_for_work() || now - output_.last_sent() >= kKeepAlive)) send_keep_alive();
    go_on_with_job();
    login_.look_at_clock();
    return output_.take();
}

StratumEvents StratumSession::set_suggested_difficulty(double difficulty, SteadyTime now, bool again) {
    if (!options_.dialect->suggests_difficulty || !std::isfinite(difficulty) || difficulty <= 0) return {};
    output_.begin(now);
    options_.suggest_difficulty = difficulty;
    const bool differs = !suggested_ || std::abs(difficulty - *suggested_) > *suggested_ / 10;
    if (ready() && (differs || again)) send_suggestion();
    return output_.take();
}

void StratumSession::set_rolling(VersionRolling rolling, SteadyTime now) {
    output_.begin(now);
    options_.rolling = rolling;
    if (job_) repeat_job();
    (void)output_.take();
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
    output_.begin(now);
    SubmitRequest submit;
    submit.id = output_.next_id();
    submit.bytes =
        output_.make_request("mining.submit", options_.dialect->submit_params(options_.user, share, version_rolling()));
    submitted_.insert(share.hash);
    in_flight_.emplace(submit.id, share.difficulty);
    if (in_flight_.size() > kMostUnanswered) in_flight_.erase(in_flight_.begin());
    return submit;
}

void StratumSession::send_suggestion() {
    if (!options_.suggest_difficulty) return;
    suggested_ = options_.suggest_difficulty;
    suggestion_request_ = output_.request("mining.suggest_difficulty", suggest_difficulty_params(*suggested_));
}

// A request that changes nothing.
void StratumSession::send_keep_alive() {
    output_.note_sent();
    if (options_.suggest_difficulty) return send_suggestion();
    if (options_.extranonce_subscribe) output_.request("mining.extranonce.subscribe", json::array());
}

void StratumSession::bad_line(const std::string& flaw) {
    constexpr std::size_t kMostBadLines = 10;
    constexpr seconds kWithin{60};
    bad_lines_.push_back(output_.now());
    if (bad_lines_.size() > kMostBadLines) bad_lines_.pop_front();
    const bool many = bad_lines_.size() == kMostBadLines && output_.now() - bad_lines_.front() < kWithin;
    if (!had_job_ || many) return output_.fail("the pool does not speak Stratum: " + flaw);
    output_.warn("a line of the pool is ignored: " + flaw);
}

void StratumSession::handle_reply(const StratumMessage& reply) {
    if (!reply.number || *reply.number <= 0) return;
    const auto id = static_cast<std::uint64_t>(*reply.number);
    if (const auto share = in_flight_.extract(id)) {
        ShareReply read = read_share_reply(reply);
        const bool low = read.verdict != SubmitVerdict::kAccepted && read.kind == RefusalKind::kLowDifficulty;
        if (low) raise_difficulty();
        read.outdated = low && job_ && share.mapped() < job_->difficulty();
        output_.add(ShareReplied{id, std::move(read)});
        return;
    }
    if (id == suggestion_request_ && reply.refusal) suggestion_refusal_ = reply.refusal->sentence();
    handle_login_reply(id, reply);
}

void StratumSession::handle_login_reply(std::uint64_t id, const StratumMessage& reply) {
    switch (login_.take_reply(id, reply)) {
        case StratumLogin::Step::kNone: break;
        case StratumLogin::Step::kConfigured: version_mask_ = login_.granted().version_mask; break;
        case StratumLogin::Step::kSubscribed:
            extranonce_ = login_.extranonce();
            // So that the pool knows it before the first job; ckpool closes the connection on one before the
            // subscription.
            send_suggestion();
            login_.authorize();
            make_early_job();
            break;
        case StratumLogin::Step::kLoggedIn:
            if (!job_) login_.await_work();
            send_suggestion();  // some pools take it only now
            output_.add(LoggedIn{});
            break;
    }
}

void StratumSession::handle_call(const StratumMessage& call) {
    struct Call {
        std::string_view method;
        void (StratumSession::*function)(const json&);
    };
    static constexpr std::array kCalls = {
        Call{"mining.notify", &StratumSession::handle_notify},
        Call{"mining.set_extranonce", &StratumSession::handle_extranonce},
        Call{"mining.set_version_mask", &StratumSession::handle_version_mask},
        Call{"client.reconnect", &StratumSession::handle_reconnect},
        Call{"client.show_message", &StratumSession::handle_show_message},
    };
    if (call.method == options_.dialect->set_work) return handle_work(call.params);
    for (const Call& known : kCalls) {
        if (known.method == call.method) return (this->*known.function)(call.params);
    }
    handle_request(call);
}

// What has an id wants a reply; the rest is ignored.
void StratumSession::handle_request(const StratumMessage& call) {
    if (call.id.is_null()) return;
    if (call.method == "client.get_version") {
        output_.add(Send{stratum_result(call.id, options_.agent) + '\n'});
    } else if (call.method == "mining.ping" || call.method == "client.ping") {
        output_.add(Send{stratum_result(call.id, "pong") + '\n'});
    } else {
        output_.add(Send{stratum_error(call.id, 20, "Unknown method") + '\n'});
    }
}

void StratumSession::handle_notify(const json& params) {
    try {
        early_notify_ = options_.dialect->read_notify(params);
        warn_of_oddities(*early_notify_);
        make_early_job();
    } catch (const ProtocolError&) {
        end_job();  // perhaps it was a clean one
        throw;
    }
}

// Each once: nothing depends on them.
void StratumSession::warn_of_oddities(const StratumNotify& notify) {
    if (!notify.odd_flag.empty() && !std::exchange(warned_of_flag_, true)) output_.warn(notify.odd_flag);
    if (!notify.surplus.empty() && !std::exchange(warned_of_surplus_, true)) output_.warn(notify.surplus);
}

void StratumSession::end_job() {
    early_notify_.reset();
    raised_ = false;
    if (!std::exchange(job_, nullptr)) return;
    output_.add(NewJob{nullptr});
    if (ready()) login_.await_work();
}

void StratumSession::make_early_job() {
    if (early_notify_ && login_.subscribed() && share_work()) make_job(std::exchange(early_notify_, nullptr));
}

// Some pools judge shares of the running job by the difficulty that they have set since. Once a job, so that a pool
// that refuses shares for another reason does not hide it behind ever new difficulties.
void StratumSession::raise_difficulty() {
    if (!job_ || !work_ || work_->difficulty <= job_->difficulty() || std::exchange(raised_, true)) return;
    repeat_job_with(*work_);
}

void StratumSession::make_job(const std::shared_ptr<const StratumNotify>& notify) {
    raised_ = false;
    if (notify->clean) {
        valid_jobs_.clear();
        submitted_.turn();
    }
    if (std::find(valid_jobs_.begin(), valid_jobs_.end(), notify->id) == valid_jobs_.end()) {
        valid_jobs_.push_back(notify->id);
        if (valid_jobs_.size() > kMostJobs) valid_jobs_.pop_front();
    }
    JobParameters parameters;
    parameters.origin = options_.origin;
    parameters.extranonce1 = extranonce_.extranonce1;
    parameters.extranonce2_size = extranonce_.extranonce2_size;
    parameters.difficulty = share_work()->difficulty;
    parameters.target = share_work()->target;
    parameters.version_mask = version_mask_;
    parameters.rolling = options_.rolling;
    parameters.received = output_.now();
    parameters.clock = options_.clock;
    parameters.first_extranonce2 = options_.recent_work->first_extranonce2();
    const auto earlier = options_.recent_work->find(*notify, parameters);
    set_job(options_.dialect->make_job(notify, std::move(parameters), earlier.get()));
    warn_of_coinbase(*job_);
}

void StratumSession::warn_of_coinbase(const StratumJob& job) {
    constexpr std::size_t kLongestScript = 100;  // of a coinbase: consensus
    const auto size = coinbase_script_size(job.coinbase(0));
    if (!size || *size <= kLongestScript || std::exchange(warned_of_coinbase_, true)) return;
    output_.warn(
        fmt::format("with both extranonces the coinbase's script has {} bytes, expected at most {}: every node will "
                    "refuse the pool's blocks",
                    *size, kLongestScript));
}

void StratumSession::go_on_with_job() {
    if (!job_ || !job_->has_run_out()) return;
    if (!std::exchange(warned_of_waiting_, true)) {
        output_.warn("all headers within the pool's extranonce and clock are searched: devices wait for the next job");
    }
    if (job_->goes_on()) output_.add(NewJob{job_});
}

void StratumSession::set_job(std::shared_ptr<const StratumJob> job) {
    job_ = std::move(job);
    had_job_ = true;
    options_.recent_work->add(job_);
    login_.work_has_come();
    output_.add(NewJob{job_});
}

// The current job again, with headers of its own: with the version bits now in force, but the extranonce that it came
// with (a new one is for jobs to come). Shares of it are as good as before.
void StratumSession::repeat_job() { repeat_job(job_->parameters()); }

void StratumSession::repeat_job_with(const ShareWork& work) {
    JobParameters parameters = job_->parameters();
    parameters.difficulty = work.difficulty;
    parameters.target = work.target;
    repeat_job(std::move(parameters));
}

void StratumSession::repeat_job(JobParameters parameters) {
    parameters.version_mask = version_mask_;
    parameters.rolling = options_.rolling;
    set_job(options_.dialect->make_job(job_->shared_notify(), std::move(parameters), job_.get()));
}

void StratumSession::handle_work(const json& params) {
    const std::optional<ShareWork> work = options_.dialect->read_work(params);
    if (!work) return output_.warn(fmt::format("the pool set {}: {}", options_.dialect->bad_work, quoted_json(params)));
    const bool had_job_without = !work_ && job_ != nullptr;
    work_ = work;
    output_.add(DifficultyChanged{work->difficulty});
    make_early_job();
    // It is for jobs to come (https://en.bitcoin.it/wiki/Stratum_mining_protocol), but a job that came before any
    // difficulty is meant to have it, too.
    if (had_job_without) repeat_job_with(*work);
}

// For jobs from the next one on. Without it no share of those would count, so that it is no line to be passed over.
void StratumSession::handle_extranonce(const json& params) {
    try {
        extranonce_ = options_.dialect->read_set_extranonce(params);
    } catch (const ProtocolError& error) {
        output_.fail(std::string("the pool does not speak Stratum: ") + error.what());
    }
}

void StratumSession::handle_version_mask(const json& params) {
    const std::optional<std::uint32_t> mask = read_version_mask(params);
    if (!mask) return output_.warn("the pool set version bits that are not hex digits: " + quoted_json(params));
    if (!version_rolling() || *mask == version_mask_) return;
    version_mask_ = *mask;
    if (job_) repeat_job();  // valid at once (BIP 310)
}

void StratumSession::handle_reconnect(const json& params) {
    if (std::optional<ReconnectRequested> request = read_reconnect(params)) {
        output_.add(std::move(*request));
    } else {
        output_.warn("client.reconnect: expected a host and a port, got " + quoted_json(params));
    }
}

void StratumSession::handle_show_message(const json& params) {
    if (std::optional<OperatorMessage> message = read_show_message(params)) output_.add(std::move(*message));
}

}  // namespace gpuminer::net
