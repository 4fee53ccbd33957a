#include "net/sv2/session.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/block/hash256.hpp"
#include "host/text/text.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net::sv2 {
namespace {

using std::chrono::seconds;

constexpr seconds kLoginTimeout{30};      // for the setup and for the channel
constexpr seconds kWorkTimeout{120};      // after the login
constexpr std::size_t kMostJobs = 1'000;  // ids kept of a pool whose blocks never change
constexpr std::size_t kLongestUser = 255;
// Frames: of answers to the setup, and of anything (SetGroupChannel may have 256 KiB).
constexpr std::size_t kLongestSetup = 4096, kLongestFrame = std::size_t{1} << 19;
// Told where no rate is known: servers refuse zero.
constexpr double kUnknownRate = 1e9;

std::uint64_t request_id(std::uint32_t channel, std::uint32_t sequence) {
    return std::uint64_t{channel} << 32 | sequence;
}

std::optional<std::uint32_t> job_number(const std::string& id) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    const bool whole = error == std::errc() && end == id.data() + id.size();
    return whole ? std::optional(number) : std::nullopt;
}

bool is_extranonce(const std::string& digits) {
    return digits.size() <= 2 * kLongestExtranonce && digits.size() % 2 == 0 && is_hex(digits);
}

float rounded(double rate) { return static_cast<float>(std::min(rate, 1e30)); }

StratumRefusal refusal(const std::string& code) { return {.code = std::nullopt, .text = printable_ascii(code)}; }

}  // namespace

Session::Session(Options options) : options_(std::move(options)) {
    if (!options_.recent_work) options_.recent_work = std::make_shared<RecentWork>();
}

// ----- the connection and its channel -----

StratumEvents Session::start(SteadyTime now) {
    output_.begin(now);
    if (options_.user.size() > kLongestUser) {
        output_.refuse(fmt::format("a user name of Stratum V2 has at most {} bytes, but this one {}", kLongestUser,
                                   options_.user.size()));
        return output_.take();
    }
    SetupConnection setup;
    setup.flags = flags_ = options_.standard_jobs ? kRequiresStandardJobs : 0;
    setup.host = options_.host.substr(0, 255);
    setup.port = options_.port;
    setup.vendor = "gpuminer";
    setup.hardware_version = "CPUs and GPUs";
    setup.firmware = options_.agent;
    send(setup);
    await(Awaiting::kSetup);
    return output_.take();
}

void Session::await(Awaiting what) {
    awaiting_ = what;
    deadline_ = output_.now() + (what == Awaiting::kWork ? kWorkTimeout : kLoginTimeout);
}

void Session::look_at_clock() {
    if (awaiting_ == Awaiting::kNothing || output_.now() < deadline_) return;
    constexpr const char* kMissed[] = {"", "did not answer SetupConnection", "did not open a channel", "gave no work"};
    const seconds limit = awaiting_ == Awaiting::kWork ? kWorkTimeout : kLoginTimeout;
    output_.fail(fmt::format("the pool {} within {} s", kMissed[static_cast<int>(awaiting_)], limit.count()));
}

void Session::handle(const SetupConnectionSuccess& message) {
    if (awaiting_ != Awaiting::kSetup) return;
    if (message.used_version != kVersion)
        return output_.fail(fmt::format("the pool wants version {} of Stratum", message.used_version));
    set_up_ = true;
    rolls_versions_ = (message.flags & kRequiresFixedVersion) == 0;
    open_channel((message.flags & kRequiresExtendedChannels) != 0);
}

void Session::handle(const SetupConnectionError& message) {
    if (awaiting_ != Awaiting::kSetup) return;
    const std::string code = refusal(message.code).sentence();
    const std::string sentence = "the pool refuses the connection: " + code;
    // Of these two the same is to be expected the next time.
    if (code == "protocol-version-mismatch" || code == "unsupported-protocol") return output_.refuse(sentence);
    output_.fail(sentence, (message.flags & flags_) != 0);
}

double Session::rate() const { return options_.hash_rate ? options_.hash_rate() : 0; }

Digest Session::max_target() const {
    Digest easiest;
    easiest.fill(0xff);
    const auto target = share_target(options_.suggest_difficulty.value_or(0));
    return target ? internal_order(*target) : easiest;
}

void Session::open_channel(bool extended) {
    const double known = rate();
    report_.told(known > 0 ? known : kUnknownRate, output_.now());
    OpenExtendedMiningChannel open;
    open.request = ++request_;
    open.user = options_.user;
    open.hash_rate = rounded(report_.last());
    open.max_target = max_target();
    open.min_extranonce_size = extranonce_size_;
    extended_ = extended;
    if (extended) {
        send(open);
    } else {
        send(static_cast<const OpenStandardMiningChannel&>(open));
    }
    await(Awaiting::kChannel);
}

void Session::handle(const OpenMiningChannelError& message) {
    if (awaiting_ != Awaiting::kChannel || message.request != request_) return;
    const std::string code = refusal(message.code).sentence();
    if (!extended_ && code.starts_with("standard-channels-not-supported")) return open_channel(true);
    if (code.starts_with("max-target") && std::exchange(options_.suggest_difficulty, std::nullopt)) {
        output_.warn("the pool refuses the difficulty that was asked for: " + code);
        return open_channel(extended_);
    }
    if (code.starts_with("min-extranonce-size") &&
        std::exchange(extranonce_size_, kLeastExtranonceSize) > kLeastExtranonceSize)
        return open_channel(extended_);
    if (code.find("user") != std::string::npos) {
        return output_.refuse(fmt::format("the pool refuses user {}: {}", quoted_text(options_.user, 100), code));
    }
    output_.fail("the pool opens no channel: " + code);
}

void Session::handle(const OpenStandardMiningChannelSuccess& message) {
    if (extended_ || message.request != request_) return;
    opened({.id = message.opened,
            .group = message.group,
            .extended = false,
            .extranonce = {message.extranonce_prefix.bytes, 0},
            .work = {}},
           message.target);
}

void Session::handle(const OpenExtendedMiningChannelSuccess& message) {
    if (!extended_ || message.request != request_) return;
    if (message.extranonce_size > kLongestExtranonce) {
        return output_.fail(fmt::format("the pool gives an extranonce of {} bytes, expected at most {}",
                                        message.extranonce_size, kLongestExtranonce));
    }
    opened({.id = message.opened,
            .group = message.group,
            .extended = true,
            .extranonce = {message.extranonce_prefix.bytes, message.extranonce_size},
            .work = {}},
           message.target);
}

void Session::opened(Channel::Terms terms, const Digest& target) {
    if (awaiting_ != Awaiting::kChannel) return;
    const Hash256 limit = display_order(target);
    if (limit == Hash256{}) return output_.fail("the pool opens a channel with a target of zero, which no share meets");
    terms.work = {difficulty_of(limit), limit};
    const Extranonce& extranonce = terms.extranonce;
    output_.add(Subscribed{{.session = {},
                            .extranonce1 = to_hex(extranonce.extranonce1),
                            .extranonce2_size = extranonce.extranonce2_size}});
    output_.add(DifficultyChanged{terms.work.difficulty});
    channel_.emplace(std::move(terms), JobSource{.origin = options_.origin,
                                                 .clock = options_.clock,
                                                 .recent_work = options_.recent_work,
                                                 .rolls_versions = rolls_versions_});
    await(Awaiting::kWork);
    output_.add(LoggedIn{});
}

// Shares of it cannot be submitted any more, and those without an answer will get none.
void Session::handle(const CloseChannel& message) {
    output_.fail("the pool has closed the channel: " + refusal(message.reason).sentence());
}

void Session::handle(const SetExtranoncePrefix& message) {
    channel_->set_extranonce_prefix(message.extranonce_prefix.bytes);
}

void Session::handle(const SetGroupChannel& message) {
    if (channel_ && std::ranges::find(message.channels, channel_->terms().id) != message.channels.end())
        channel_->set_group(message.group);
}

void Session::handle(const Reconnect& message) {
    auto request = read_reconnect(nlohmann::json::array({message.host, message.port}));
    if (request) return output_.add(std::move(*request));
    output_.warn("Reconnect: expected the name of a host, got " + quoted_text(message.host));
}

// ----- rates and targets -----

void Session::update_channel(double rate) {
    report_.told(rate, output_.now());
    UpdateChannel update;
    update.channel = channel_->terms().id;
    update.hash_rate = rounded(rate);
    update.max_target = max_target();
    send(update);
}

StratumEvents Session::set_suggested_difficulty(double difficulty, SteadyTime now, bool again) {
    if (!again || !ready() || !std::isfinite(difficulty) || difficulty <= 0) return {};
    output_.begin(now);
    options_.suggest_difficulty = difficulty;
    const double known = rate();
    update_channel(known > 0 ? known : report_.last());
    return output_.take();
}

void Session::handle(const UpdateChannelError& message) {
    refusal_ = refusal(message.code).sentence();
    output_.warn("the pool refuses the rate or target that it was told: " + refusal_);
}

// Of jobs to come, and of those that wait for their block: the current one keeps its own.
void Session::handle(const SetTarget& message) {
    const Hash256 target = display_order(message.max_target);
    if (target == Hash256{}) return output_.warn("the pool sets a target of zero, which is ignored: no share meets it");
    const double difficulty = difficulty_of(target);
    channel_->set_work({difficulty, target});
    output_.add(DifficultyChanged{difficulty});
}

// ----- jobs -----

void Session::handle(const NewMiningJob& message) { set_job(channel_->take(message, output_.now())); }

void Session::handle(const NewExtendedMiningJob& message) { set_job(channel_->take(message, output_.now())); }

void Session::handle(const SetNewPrevHash& message) {
    // For the channel and for its group.
    if (job_ && job_->id() == std::to_string(message.job) && job_->notify().previous_hash == message.previous_hash)
        return;
    auto job = channel_->take(message, output_.now());
    valid_jobs_.clear();
    submitted_.turn();
    if (job) return set_job(std::move(job));
    output_.warn(fmt::format("the pool begins a block with job {}, which it has not given: devices wait for the next",
                             message.job));
    if (std::exchange(job_, nullptr)) output_.add(NewJob{nullptr});
    await(Awaiting::kWork);
}

void Session::set_job(std::shared_ptr<const StratumJob> job) {
    if (!job) return;  // it waits for its block
    job_ = std::move(job);
    if (std::ranges::find(valid_jobs_, job_->id()) == valid_jobs_.end()) valid_jobs_.push_back(job_->id());
    if (valid_jobs_.size() > kMostJobs) valid_jobs_.pop_front();
    awaiting_ = Awaiting::kNothing;
    output_.add(NewJob{job_});
}

void Session::go_on_with_job() {
    if (!job_ || !job_->has_run_out()) return;
    if (!std::exchange(warned_of_waiting_, true)) {
        output_.warn("all headers within the pool's versions and clock are searched: devices wait for the next second");
    }
    if (job_->goes_on()) output_.add(NewJob{job_});
}

StratumEvents Session::tick(SteadyTime now) {
    if (output_.over()) return {};
    output_.begin(now);
    if (ready()) {
        if (const auto changed = report_.look(rate(), now)) update_channel(*changed);
    }
    go_on_with_job();
    look_at_clock();
    return output_.take();
}

// ----- shares -----

SubmitDecision Session::assess(const StratumShare& share, bool again) const {
    if (!ready()) return SubmitDecision::kNotYet;
    if (submitted_.contains(share.hash)) return SubmitDecision::kDuplicate;
    const bool can_be_sent = job_number(share.job_id) && is_extranonce(share.extranonce2);
    if (!can_be_sent) return SubmitDecision::kStale;  // of a journal, from a pool of V1
    if (share.solves_block) return SubmitDecision::kSend;
    const bool known = std::ranges::find(valid_jobs_, share.job_id) != valid_jobs_.end();
    return known && !again ? SubmitDecision::kSend : SubmitDecision::kStale;
}

std::optional<SubmitRequest> Session::submit(const StratumShare& share, SteadyTime now, bool again) {
    if (assess(share, again) != SubmitDecision::kSend) return std::nullopt;
    output_.begin(now);
    SubmitSharesExtended submit;
    submit.channel = channel_->terms().id;
    submit.sequence = submits_.add(share.difficulty);
    submit.job = job_number(share.job_id).value();
    submit.nonce = share.nonce;
    submit.time = share.time;
    submit.version = share.version;
    submit.extranonce.bytes.resize(share.extranonce2.size() / 2);
    decode_hex(share.extranonce2, submit.extranonce.bytes);
    submitted_.insert(share.hash);
    return SubmitRequest{request_id(submit.channel, submit.sequence),
                         extended_ ? encode(submit) : encode(static_cast<const SubmitSharesStandard&>(submit))};
}

void Session::handle(const SubmitSharesSuccess& message) {
    const Submits::Accepted accepted = submits_.accept(message.last_sequence, message.accepted);
    for (const std::uint32_t sequence : accepted.sequences) {
        ShareReply reply;
        reply.verdict = SubmitVerdict::kAccepted;
        output_.add(ShareReplied{request_id(channel_->terms().id, sequence), std::move(reply)});
    }
    if (accepted.surplus > 0 && !std::exchange(warned_of_surplus_, true)) {
        output_.warn(fmt::format("the pool accepts {} shares up to number {}, of which {} wait for an answer",
                                 message.accepted, message.last_sequence, accepted.sequences.size()));
    }
}

void Session::handle(const SubmitSharesError& message) {
    const std::optional<double> difficulty = submits_.take(message.sequence);
    if (!difficulty) return;
    ShareReply reply = refused_share(refusal(message.code));
    reply.outdated = reply.kind == RefusalKind::kLowDifficulty && *difficulty < channel_->terms().work.difficulty;
    output_.add(ShareReplied{request_id(channel_->terms().id, message.sequence), std::move(reply)});
}

// ----- frames -----

std::size_t Session::longest_payload() const { return set_up_ ? kLongestFrame : kLongestSetup; }

std::optional<StratumEvents> Session::next(std::string& received, SteadyTime now) {
    if (output_.over() || received.size() < kHeaderBytes) return std::nullopt;
    output_.begin(now);
    const FrameHeader header = read_frame_header(received);
    if (header.length > longest_payload()) {
        output_.fail(
            fmt::format("the pool sends a message of {} bytes, expected at most {}", header.length, longest_payload()));
        return output_.take();
    }
    if (received.size() < header.frame_bytes()) return std::nullopt;
    const std::string frame = received.substr(0, header.frame_bytes());
    received.erase(0, header.frame_bytes());
    if (header.extension != 0) return output_.take();  // none is known
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(frame.data());
    take(header.type, {bytes + kHeaderBytes, header.length});
    return output_.take();
}

bool Session::is_ours(const char* message, std::uint32_t channel) {
    if (channel_ && channel_->answers_to(channel)) return true;
    output_.warn(fmt::format("{} is ignored: it is for channel {}, which was not opened", message, channel));
    return false;
}

template <typename... Messages>
bool Session::take_one_of(std::uint8_t type, std::span<const std::uint8_t> payload) {
    const auto take_if = [&]<typename Message>(const Message* /*kind*/) {
        if (type != kRow<Message>.type) return false;
        const auto message = decode<Message>(payload);
        if constexpr (requires { message.channel; }) {
            if (!is_ours(kRow<Message>.name, message.channel)) return true;
        }
        handle(message);
        return true;
    };
    return (take_if(static_cast<const Messages*>(nullptr)) || ...);
}

void Session::take(std::uint8_t type, std::span<const std::uint8_t> payload) {
    try {
        // What is of another kind is ignored.
        (void)take_one_of<SetupConnectionSuccess, SetupConnectionError, OpenStandardMiningChannelSuccess,
                          OpenExtendedMiningChannelSuccess, OpenMiningChannelError, UpdateChannelError, CloseChannel,
                          SetExtranoncePrefix, SubmitSharesSuccess, SubmitSharesError, NewMiningJob,
                          NewExtendedMiningJob, SetNewPrevHash, SetTarget, SetGroupChannel, Reconnect>(type, payload);
    } catch (const ProtocolError& error) {
        output_.fail(std::string("the pool does not speak Stratum V2: ") + error.what());
    }
}

}  // namespace gpuminer::net::sv2
