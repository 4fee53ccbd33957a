// StratumSession: the pool's messages, which are replies to its login and its shares, jobs and other calls.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/bitcoin/coinbase_view.hpp"
#include "net/stratum/calls.hpp"
#include "net/stratum/message.hpp"
#include "net/stratum/replies.hpp"
#include "net/stratum/session.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr std::size_t kMostJobs = 1000;  // ids kept of a pool that never sends a clean job

}  // namespace

void StratumSession::handle_reply(const StratumMessage& reply) {
    if (!reply.number || *reply.number <= 0) return;
    const auto id = static_cast<std::uint64_t>(*reply.number);
    if (const auto share = in_flight_.extract(id)) {
        ShareReply read = read_share_reply(reply);
        const bool low = read.verdict != SubmitVerdict::kAccepted && read.kind == RefusalKind::kLowDifficulty;
        if (low) raise_difficulty();
        read.outdated = low && job_ && share.mapped() < job_->difficulty();
        events_.emplace_back(ShareReplied{id, std::move(read)});
        return;
    }
    if (id == suggestion_request_ && reply.refusal) suggestion_refusal_ = reply.refusal->sentence();
    const auto request = login_requests_.find(id);
    if (request == login_requests_.end()) return;
    const Awaiting what = request->second;
    login_requests_.erase(request);
    if (what == Awaiting::kConfigure) return handle_configure_reply(reply);
    awaiting_ = Awaiting::kNothing;
    if (what == Awaiting::kSubscribe) {
        handle_subscribe_reply(reply);
    } else {
        handle_authorize_reply(reply);
    }
}

void StratumSession::handle_configure_reply(const StratumMessage& reply) {
    const ConfigureReply granted = read_configure_reply(reply);
    rolling_ = granted.version_rolling;
    version_mask_ = granted.version_mask;
    extranonce_granted_ = granted.subscribe_extranonce;
    if (awaiting_ == Awaiting::kConfigure) send_subscribe();  // else it was sent when there was no reply in time
}

void StratumSession::handle_subscribe_reply(const StratumMessage& reply) {
    if (reply.refusal) {
        if (options_.resume_session.empty()) {
            return refuse("the pool refuses the subscription: " + reply.refusal->sentence());
        }
        options_.resume_session.clear();  // perhaps only the old session
        return send_subscribe();
    }
    SubscribeReply read = options_.dialect->read_subscribe_reply(reply);
    extranonce_ = std::move(read.extranonce);
    subscribed_ = true;
    Subscription subscription;
    subscription.session = std::move(read.session);
    subscription.extranonce1 = to_hex(extranonce_.extranonce1);
    subscription.extranonce2_size = extranonce_.extranonce2_size;
    subscription.resumed = options_.resume_extranonce1 && *options_.resume_extranonce1 == subscription.extranonce1;
    events_.emplace_back(Subscribed{std::move(subscription)});
    // So that the pool knows it before the first job; ckpool closes the connection on one before the subscription.
    send_suggestion();
    send_authorize();
    make_early_job();
}

void StratumSession::handle_authorize_reply(const StratumMessage& reply) {
    if (reply.refusal) {
        return refuse(
            fmt::format("the pool refuses user {}: {}", quoted_text(options_.user, 100), reply.refusal->sentence()));
    }
    logged_in_ = true;
    if (!job_) await(Awaiting::kFirstJob);
    send_suggestion();  // some pools take it only now
    events_.emplace_back(LoggedIn{});
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
        events_.emplace_back(Send{stratum_result(call.id, options_.agent) + '\n'});
    } else if (call.method == "mining.ping" || call.method == "client.ping") {
        events_.emplace_back(Send{stratum_result(call.id, "pong") + '\n'});
    } else {
        events_.emplace_back(Send{stratum_error(call.id, 20, "Unknown method") + '\n'});
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
    if (!notify.odd_flag.empty() && !std::exchange(warned_of_flag_, true)) warn(notify.odd_flag);
    if (!notify.surplus.empty() && !std::exchange(warned_of_surplus_, true)) warn(notify.surplus);
}

void StratumSession::end_job() {
    early_notify_.reset();
    raised_ = false;
    if (!std::exchange(job_, nullptr)) return;
    events_.emplace_back(NewJob{nullptr});
    if (ready()) await(Awaiting::kFirstJob);
}

void StratumSession::make_early_job() {
    if (early_notify_ && subscribed_ && share_work()) make_job(std::exchange(early_notify_, nullptr));
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
    parameters.received = now_;
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
    warn(
        fmt::format("with both extranonces the coinbase's script has {} bytes, expected at most {}: every node will "
                    "refuse the pool's blocks",
                    *size, kLongestScript));
}

void StratumSession::go_on_with_job() {
    if (!job_ || !job_->has_run_out()) return;
    if (!std::exchange(warned_of_waiting_, true)) {
        warn("all headers within the pool's extranonce and clock are searched: devices wait for the next job");
    }
    if (job_->goes_on()) events_.emplace_back(NewJob{job_});
}

void StratumSession::set_job(std::shared_ptr<const StratumJob> job) {
    job_ = std::move(job);
    had_job_ = true;
    options_.recent_work->add(job_);
    if (awaiting_ == Awaiting::kFirstJob) awaiting_ = Awaiting::kNothing;
    events_.emplace_back(NewJob{job_});
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
    if (!work) return warn(fmt::format("the pool set {}: {}", options_.dialect->bad_work, quoted_json(params)));
    const bool had_job_without = !work_ && job_ != nullptr;
    work_ = work;
    events_.emplace_back(DifficultyChanged{work->difficulty});
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
        fail(std::string("the pool does not speak Stratum: ") + error.what());
    }
}

void StratumSession::handle_version_mask(const json& params) {
    const std::optional<std::uint32_t> mask = read_version_mask(params);
    if (!mask) return warn("the pool set version bits that are not hex digits: " + quoted_json(params));
    if (!rolling_ || *mask == version_mask_) return;
    version_mask_ = *mask;
    if (job_) repeat_job();  // valid at once (BIP 310)
}

void StratumSession::handle_reconnect(const json& params) {
    if (std::optional<ReconnectRequested> request = read_reconnect(params)) {
        events_.emplace_back(std::move(*request));
    } else {
        warn("client.reconnect: expected a host and a port, got " + quoted_json(params));
    }
}

void StratumSession::handle_show_message(const json& params) {
    if (std::optional<OperatorMessage> message = read_show_message(params)) events_.emplace_back(std::move(*message));
}

}  // namespace gpuminer::net
