// PoolModel as it speaks Stratum V2: its channels and jobs. (Answers to shares: pool_model_v2_replies.cpp.)
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/sv2/messages.hpp"
#include "tests/net/pool/submitted_hash.hpp"
#include "tests/simulation/pool_model.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/wire.hpp"

namespace gpuminer::simulation {
namespace {

using namespace net::sv2;
using nlohmann::json;

constexpr std::uint32_t kOtherChannels = 0x7fff0000;  // numbers from here on are nobody's

std::uint32_t number_of(const json& digits) {
    return static_cast<std::uint32_t>(std::stoul(digits.get_ref<const std::string&>(), nullptr, 16));
}
std::uint32_t job_number(const std::string& id) { return static_cast<std::uint32_t>(std::stoul(id)); }

Bytes bytes_of(const std::string& hex) {
    Bytes bytes(hex.size() / 2);
    decode_hex(hex, bytes);
    return bytes;
}
Digest digest_of(const Bytes& bytes) {
    Digest digest{};
    std::ranges::copy(bytes, digest.begin());
    return digest;
}
Digest target_of(double difficulty) { return internal_order(target_from_difficulty(difficulty)); }

NewMiningJob standard_job(const PoolSession::Job& job) {
    NewMiningJob message;
    message.version = number_of(job.work->at(5));
    message.merkle_root = digest_of(test::merkle_root(*job.work, job.extranonce1));
    return message;
}

NewExtendedMiningJob extended_job(const PoolSession::Job& job) {
    NewExtendedMiningJob message;
    message.version = number_of(job.work->at(5));
    message.version_rolling_allowed = job.rolls_versions;
    message.coinbase_prefix.bytes = bytes_of(job.work->at(2));
    message.coinbase_suffix.bytes = bytes_of(job.work->at(3));
    for (const json& branch : job.work->at(4)) message.merkle_path.push_back(digest_of(bytes_of(branch)));
    return message;
}

}  // namespace

// ----- the login -----

void PoolModel::take_v2(const std::shared_ptr<Wire>& wire, const json& message) {
    const std::string method = message.at("method");
    if (method == kRow<SetupConnection>.name) {
        answer_setup(*wire, message.at("flags"));
    } else if (method == kRow<UpdateChannel>.name) {
        if (wire->side.wants_jobs) send_difficulty(*wire);
    } else if (method == kRow<CloseChannel>.name) {
        ++world_.tally["channels that the client closes"];  // and the connection with it
    } else {
        answer_open(*wire, message);
    }
}

void PoolModel::answer_setup(Wire& wire, std::uint32_t flags) {
    wire.side.standard_jobs = (flags & kRequiresStandardJobs) != 0;
    if (traits_.closes_on_extensions && wire.side.standard_jobs) {
        if (world_.random.one_in(2)) return wire.cut();
        return wire.reply(encode(SetupConnectionError{flags, "unsupported-feature-flags"}));
    }
    const std::uint32_t fixed = traits_.rolls_versions ? 0 : kRequiresFixedVersion;
    const std::uint32_t extended = traits_.requires_extended ? kRequiresExtendedChannels : 0;
    wire.reply(encode(SetupConnectionSuccess{kVersion, fixed | extended}));
}

void PoolModel::answer_open(Wire& wire, const json& message) {
    const bool extended = message.at("method") == kRow<OpenExtendedMiningChannel>.name;
    const std::uint32_t request = message.at("id");
    const auto refuse = [&](const char* code) { wire.reply(encode(OpenMiningChannelError{request, code})); };
    if (!traits_.takes_logins) return refuse("unknown-user");
    if (!extended && (traits_.requires_extended || traits_.refuses_standard))
        return refuse("standard-channels-not-supported");
    if (traits_.refuses_difficulty && message.at("max_target") != std::string(64, 'f'))
        return refuse("max-target-out-of-range");
    if (message.at("extranonce_size") > traits_.extranonce2_size) return refuse("min-extranonce-size-too-large");
    open_channel(wire, request, extended);
}

void PoolModel::open_channel(Wire& wire, std::uint32_t request, bool extended) {
    ++world_.tally[extended ? "extended channels" : "standard channels"];
    auto& session = wire.side.session;
    session = new_session();
    session->whole_jobs = extended || (!wire.side.standard_jobs && world_.random.one_in(2));
    session->extranonce1 = first_extranonce(session->whole_jobs);
    session->channel = static_cast<std::uint32_t>(++counter_);
    session->group = static_cast<std::uint32_t>(++counter_);
    wire.side.authorized = wire.side.takes_extranonce = true;
    const Digest target = target_of(session->difficulty);
    const ShortBytes prefix{bytes_of(session->extranonce1)};
    if (extended) {
        wire.reply(encode(OpenExtendedMiningChannelSuccess{request, session->channel, target,
                                                           static_cast<std::uint16_t>(traits_.extranonce2_size), prefix,
                                                           session->group}));
    } else {
        wire.reply(encode(OpenStandardMiningChannelSuccess{request, session->channel, target, prefix, session->group}));
    }
    send_first_job(wire);
    if (traits_.after_login) traits_.after_login(wire);
}

// No two connections at a time have the same one, nor has the same work in two forms.
std::string PoolModel::first_extranonce(bool whole_jobs) {
    const bool is_used = std::ranges::any_of(wires_, [&](const auto& wire) {
        return wire->side.session && wire->side.session->extranonce1 == last_extranonce_;
    });
    const bool is_same_form = std::exchange(had_whole_jobs_, whole_jobs) == whole_jobs;
    if (!traits_.keeps_extranonce || last_extranonce_.empty() || is_used || !is_same_form)
        last_extranonce_ = fmt::format("{:02x}{:06x}", number_, ++counter_);
    return last_extranonce_;
}

// ----- jobs -----

std::string PoolModel::target_frame(const PoolSession& session) {
    return encode(SetTarget{any_number(session), target_of(session.difficulty)});
}

std::string PoolModel::extranonce_frame(const PoolSession& session) {
    return encode(SetExtranoncePrefix{any_number(session), {bytes_of(session.extranonce1)}});
}

std::uint32_t PoolModel::any_number(const PoolSession& session) {
    return world_.random.one_in(3) ? session.group : session.channel;
}

std::string PoolModel::give_job(Wire& wire, const PoolWork& work, bool now) {
    PoolSession& session = *wire.side.session;
    const std::string id = std::to_string(traits_.numbers_by_channel ? ++session.jobs_given : ++counter_);
    const bool whole = session.whole_jobs;
    PoolSession::Job job{work, session.extranonce1, session.difficulty, traits_.rolls_versions};
    if (whole && world_.random.one_in(4)) job.rolls_versions = false;
    const auto send = [&](auto message) {
        message.channel = whole ? any_number(session) : session.channel;
        message.job = job_number(id);
        if (now) message.min_time = number_of(work->at(7));
        const std::string frame = encode(message);
        now ? wire.notify(frame, id, false) : wire.reply(frame);
    };
    whole ? send(extended_job(job)) : send(standard_job(job));
    (now ? session.jobs : session.future)[id] = std::move(job);
    return id;
}

void PoolModel::send_job_v2(Wire& wire, bool clean) {
    if (!clean) return (void)give_job(wire, work_, true);
    PoolSession& session = *wire.side.session;
    const auto told = std::ranges::find_if(session.future, [&](const auto& job) { return job.second.work == work_; });
    std::string id;
    if (traits_.moody && world_.random.one_in(20)) {
        id = std::to_string(kOtherChannels);  // of no job
    } else {
        id = told != session.future.end() ? told->first : give_job(wire, work_, false);
        ++world_.tally["blocks begun"];
        session.jobs[id] = session.future.at(id);
        session.jobs[id].difficulty = session.difficulty;
    }
    session.future.clear();
    SetNewPrevHash block;
    block.channel = any_number(session);
    block.job = job_number(id);
    block.previous_hash = digest_of(test::previous_hash(*work_));
    block.min_time = number_of(work_->at(7));
    block.nbits = number_of(work_->at(6));
    wire.notify(encode(block), id, true);
    if (!session.jobs.contains(id)) return (void)give_job(wire, work_, true);
    if (!traits_.moody || !world_.random.one_in(8)) return;
    block.channel = session.group;  // for all of its channels, too
    wire.notify(encode(block), id, true);
}

void PoolModel::announce_block() {
    ++world_.tally["blocks announced"];
    announced_.push_back(draw_work(true));
    for (const auto& wire : std::vector(wires_)) {
        if (wire->side.wants_jobs) (void)give_job(*wire, announced_.back(), false);
    }
}

void PoolModel::look_at_fields(const PoolSession& session, const json& params) {
    if (params.at(0) != std::to_string(session.channel)) world_.shares.refused(params, "it is another channel's");
    if (number_of(params.at(3)) > clock()) world_.shares.refused(params, "its time is ahead of the pool's clock");
}

// ----- what else it sends -----

void PoolModel::close_channel(Wire& wire) {
    ++world_.tally["channels closed"];
    wire.reply(encode(CloseChannel{wire.side.session->channel, "maintenance"}));
    wire.side.wants_jobs = false;
    wire.side.channel_closed = true;
    forget(std::string(wire.side.session->id));
}

void PoolModel::disturb(Wire& wire) {
    Random& random = world_.random;
    PoolSession& session = *wire.side.session;
    const auto other = kOtherChannels + static_cast<std::uint32_t>(random.below(9));
    const auto any = static_cast<std::uint32_t>(random.between(1, 50));
    switch (random.below(8)) {
        case 0: return close_channel(wire);
        case 1: return wire.reply(encode(SubmitSharesSuccess{other, any, any, any}));
        case 2: return wire.reply(encode(SubmitSharesError{other, any, "difficulty-too-low"}));
        case 3: return wire.reply(encode(SetTarget{other, target_of(1e9)}));
        case 4: return wire.reply(encode(SetNewPrevHash{other, any, {}, clock(), 0x1d00ffff}));
        case 5: return wire.reply(encode(NewMiningJob{other, any, clock(), 0x20000000, {}}));
        case 6:
            return wire.reply(
                std::string("\x07\x00\x01\x03\x00\x00"
                            "abc",
                            9));  // of an extension
        default:
            session.group = static_cast<std::uint32_t>(++counter_);
            return wire.reply(encode(SetGroupChannel{session.group, {session.channel}}));
    }
}

}  // namespace gpuminer::simulation
