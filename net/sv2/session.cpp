#include "net/sv2/session.hpp"

#include <algorithm>
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

constexpr seconds kLoginTimeout{30};  // for the setup and for the channel
constexpr seconds kWorkTimeout{120};  // after the login
constexpr std::size_t kLongestUser = 255;
// Frames: of answers to the setup, and of anything (SetGroupChannel may have 256 KiB).
constexpr std::size_t kLongestSetup = 4096, kLongestFrame = std::size_t{1} << 19;
// Told where no rate is known: servers refuse zero.
constexpr double kUnknownRate = 1e9;

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
    if ((message.flags & kRequiresExtendedChannels) != 0) return open_extended_channel("it requires extended ones");
    open_channel(false);
}

void Session::open_extended_channel(const std::string& why) {
    if ((flags_ & kRequiresStandardJobs) == 0) return open_channel(true);
    output_.fail(fmt::format("the pool opens no standard channel ({}); other channels take another connection", why),
                 true);
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

float Session::rate_of_channel() const { return rounded(report_.last() / options_.channels); }

void Session::open_channel(bool extended) {
    if (channels_.empty()) {
        const double known = rate();
        report_.told(known > 0 ? known : kUnknownRate, output_.now());
    }
    asking_ = true;
    OpenExtendedMiningChannel open;
    open.request = ++request_;
    open.user = options_.user;
    open.hash_rate = rate_of_channel();
    open.max_target = max_target();
    open.min_extranonce_size = extranonce_size_;
    extended_ = extended;
    if (extended) {
        send(open);
    } else {
        send(static_cast<const OpenStandardMiningChannel&>(open));
    }
    if (channels_.empty()) await(Awaiting::kChannel);
    asking_until_ = output_.now() + kLoginTimeout;
}

void Session::handle(const OpenMiningChannelError& message) {
    if (message.request != request_ || !std::exchange(asking_, false)) return;
    const std::string code = refusal(message.code).sentence();
    if (!channels_.empty()) return take_fewer_channels(code);
    if (code.starts_with("max-target") && std::exchange(options_.suggest_difficulty, std::nullopt)) {
        output_.warn("the pool refuses the difficulty that was asked for: " + code);
        return open_channel(extended_);
    }
    if (code.starts_with("min-extranonce-size") &&
        std::exchange(extranonce_size_, kLeastExtranonceSize) > kLeastExtranonceSize)
        return open_channel(extended_);
    if (code.starts_with("unknown-user") || code.starts_with("invalid-user") || code.starts_with("unauthori")) {
        return output_.refuse(fmt::format("the pool refuses user {}: {}", quoted_text(options_.user, 100), code));
    }
    if (!extended_) return open_extended_channel(code);  // whatever the code: servers have their own
    output_.fail("the pool opens no channel: " + code);
}

void Session::take_fewer_channels(const std::string& why) {
    asking_ = false;
    output_.warn(fmt::format("the pool opens {} of {} channels: {}", channels_.size(), options_.channels, why));
    options_.channels = static_cast<unsigned>(channels_.size());
    update_channel(report_.last(), options_.suggest_difficulty);  // which have larger shares of it now
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
    if (!std::exchange(asking_, false)) return;
    const Hash256 limit = display_order(target);
    if (limit == Hash256{}) return output_.fail("the pool opens a channel with a target of zero, which no share meets");
    terms.work = {difficulty_of(limit), limit};
    const bool is_login = channels_.empty();
    const Extranonce& extranonce = terms.extranonce;
    if (is_login) {
        output_.add(Subscribed{{.session = {},
                                .extranonce1 = to_hex(extranonce.extranonce1),
                                .extranonce2_size = extranonce.extranonce2_size}});
    }
    output_.add(DifficultyChanged{terms.work.difficulty});
    const JobSource source{.origin = options_.origin,
                           .clock = options_.clock,
                           .recent_work = options_.recent_work,
                           .rolls_versions = rolls_versions_,
                           .of_several = options_.channels > 1};
    if (!channels_.add(std::move(terms), source)) return output_.fail("the pool opens a channel twice");
    if (is_login) {
        difficulty_before_ = options_.suggest_difficulty;
        await(Awaiting::kWork);
        output_.add(LoggedIn{});
    }
    if (channels_.size() < options_.channels) open_channel(extended_);
}

// Shares of it cannot be submitted any more, and those without an answer will get none.
void Session::handle(Channel& /*channel*/, const CloseChannel& message) {
    output_.fail("the pool has closed the channel: " + refusal(message.reason).sentence());
}

void Session::handle(Channel& channel, const SetExtranoncePrefix& message) {
    channel.set_extranonce_prefix(message.extranonce_prefix.bytes);
}

void Session::handle(const SetGroupChannel& message) { channels_.set_group(message); }

void Session::handle(const Reconnect& message) {
    auto request = read_reconnect(nlohmann::json::array({message.host, message.port}));
    if (request) return output_.add(std::move(*request));
    output_.warn("Reconnect: expected the name of a host, got " + quoted_text(message.host));
}

StratumEvents Session::farewell() {
    if (!ready()) return {};
    for (const Channel& channel : channels_) send(CloseChannel{channel.terms().id, "the miner ends its session"});
    return output_.take();
}

// ----- rates and targets -----

void Session::update_channel(double rate, std::optional<double> difficulty) {
    report_.told(rate, output_.now());
    difficulty_before_ = std::exchange(options_.suggest_difficulty, difficulty);
    for (const Channel& channel : channels_) send(UpdateChannel{channel.terms().id, rate_of_channel(), max_target()});
}

StratumEvents Session::set_suggested_difficulty(double difficulty, SteadyTime now, bool again) {
    if (!again || !ready() || !std::isfinite(difficulty) || difficulty <= 0) return {};
    output_.begin(now);
    const double known = rate();
    update_channel(known > 0 ? known : report_.last(), difficulty);
    return output_.take();
}

void Session::handle(Channel& /*channel*/, const UpdateChannelError& message) {
    refusal_ = refusal(message.code).sentence();
    options_.suggest_difficulty = difficulty_before_;  // not to be refused once more with the next rate
    output_.warn("the pool takes neither the hash rate nor the difficulty that it was told, and goes on as before: " +
                 refusal_);
}

// Of jobs to come, and of those that wait for their block: the current one keeps its own.
void Session::handle(Channel& channel, const SetTarget& message) {
    const Hash256 target = display_order(message.max_target);
    if (target == Hash256{}) return output_.warn("the pool sets a target of zero, which is ignored: no share meets it");
    const double difficulty = difficulty_of(target);
    channel.set_work({difficulty, target});
    output_.add(DifficultyChanged{difficulty});
}

// ----- jobs -----

void Session::handle(Channel& channel, const NewMiningJob& message) {
    if (channel.take(message, output_.now())) job_changed(channel);
}

void Session::handle(Channel& channel, const NewExtendedMiningJob& message) {
    if (channel.take(message, output_.now())) job_changed(channel);
}

void Session::handle(Channel& channel, const SetNewPrevHash& message) {
    const bool had_job = channel.job() != nullptr;
    if (!channel.take(message, output_.now())) return;
    if (channel.job()) return job_changed(channel);
    output_.warn(fmt::format("the pool begins a block with job {}, which it has not given: devices wait for the next",
                             message.job));
    if (had_job && channels_.is_mined(channel)) output_.add(NewJob{nullptr});
    const auto has_job = [](const Channel& other) { return other.job() != nullptr; };
    if (std::ranges::none_of(channels_, has_job)) await(Awaiting::kWork);
}

void Session::job_changed(const Channel& channel) {
    awaiting_ = Awaiting::kNothing;
    if (channels_.is_mined(channel)) output_.add(NewJob{channel.job()});  // else it has its turn
}

StratumEvents Session::tick(SteadyTime now) {
    if (output_.over()) return {};
    output_.begin(now);
    if (ready()) {
        if (const auto changed = report_.look(rate(), now)) update_channel(*changed, options_.suggest_difficulty);
        if (asking_ && now >= asking_until_)
            take_fewer_channels(fmt::format("no answer within {} s", kLoginTimeout.count()));
    }
    if (channels_.have_run_out() && !std::exchange(warned_of_waiting_, true))
        output_.warn("the pool's versions and clock leave no other header yet: devices wait for the next second");
    if (channels_.take_turns(now)) output_.add(NewJob{current_job()});
    if (const auto job = current_job(); job && job->goes_on()) output_.add(NewJob{job});
    look_at_clock();
    return output_.take();
}

// ----- shares -----

SubmitDecision Session::assess(const StratumShare& share, bool again) const {
    return ready() ? channels_.of(share).assess(share, again) : SubmitDecision::kNotYet;
}

std::optional<SubmitRequest> Session::submit(const StratumShare& share, SteadyTime /*now*/, bool again) {
    if (assess(share, again) != SubmitDecision::kSend) return std::nullopt;
    return channels_.of(share).submit(share);
}

void Session::handle(Channel& channel, const SubmitSharesSuccess& message) {
    const Submits::Accepted accepted = channel.submits().accept(message.last_sequence, message.accepted);
    for (const std::uint32_t sequence : accepted.sequences) {
        ShareReply reply;
        reply.verdict = SubmitVerdict::kAccepted;
        output_.add(ShareReplied{channel.request_of(sequence), std::move(reply)});
    }
    if (accepted.surplus > 0 && !std::exchange(warned_of_surplus_, true)) {
        output_.warn(fmt::format("the pool accepts {} shares up to number {}, of which {} wait for an answer",
                                 message.accepted, message.last_sequence, accepted.sequences.size()));
    }
}

void Session::handle(Channel& channel, const SubmitSharesError& message) {
    const std::optional<double> difficulty = channel.submits().take(message.sequence);
    if (!difficulty) return;
    ShareReply reply = refused_share(refusal(message.code));
    reply.outdated = reply.kind == RefusalKind::kLowDifficulty && *difficulty < channel.terms().work.difficulty;
    output_.add(ShareReplied{channel.request_of(message.sequence), std::move(reply)});
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

template <typename Message>
void Session::pass_on(const Message& message) {
    const auto addressed = channels_.addressed_by(message);
    for (Channel* const channel : addressed) {
        if (!output_.over()) handle(*channel, message);
    }
    if (addressed.empty()) {
        output_.warn(fmt::format("{} is ignored: it is for channel {}, which was not opened", kRow<Message>.name,
                                 message.channel));
    }
}

template <typename... Messages>
bool Session::take_one_of(std::uint8_t type, std::span<const std::uint8_t> payload) {
    const auto take_if = [&]<typename Message>(const Message* /*kind*/) {
        if (type != kRow<Message>.type) return false;
        const auto message = decode<Message>(payload);
        if constexpr (requires { message.channel; }) {
            pass_on(message);
        } else {
            handle(message);
        }
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
