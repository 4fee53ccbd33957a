#include "net/sv2/channel.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "host/block/hash256.hpp"
#include "host/search/version_space.hpp"
#include "host/text/text.hpp"
#include "net/stratum/bitcoin.hpp"
#include "net/stratum/message.hpp"
#include "net/sv2/job.hpp"

namespace gpuminer::net::sv2 {
namespace {

constexpr char kOfChannel = '/';

std::optional<std::uint32_t> number_in(std::string_view digits) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    return whole ? std::optional(number) : std::nullopt;
}

std::optional<std::uint32_t> job_number(std::string_view id) {
    return number_in(id.substr(id.find(kOfChannel) + 1));  // all of it, where there is none
}

std::shared_ptr<const StratumJob> job_of(const std::shared_ptr<const StratumNotify>& notify, JobParameters parameters,
                                         const StratumJob* continues) {
    if (auto standard = std::dynamic_pointer_cast<const StandardNotify>(notify))
        return std::make_shared<const StandardJob>(std::move(standard), std::move(parameters), continues);
    return std::make_shared<const BitcoinJob>(std::dynamic_pointer_cast<const BitcoinNotify>(notify),
                                              std::move(parameters), continues);
}

bool is_extranonce(const std::string& digits) {
    return digits.size() <= 2 * kLongestExtranonce && digits.size() % 2 == 0 && is_hex(digits);
}

}  // namespace

std::optional<std::uint32_t> channel_in(const std::string& job_id) {
    const std::size_t end = job_id.find(kOfChannel);
    return end == std::string::npos ? std::nullopt : number_in(std::string_view(job_id).substr(0, end));
}

// ----- jobs -----

std::string Channel::id_of(std::uint32_t job) const {
    return source_.of_several ? fmt::format("{}{}{}", terms_.id, kOfChannel, job) : std::to_string(job);
}

bool Channel::is_valid(const std::string& job_id) const {
    return std::ranges::find(valid_jobs_, job_id) != valid_jobs_.end();
}

bool Channel::take(const NewMiningJob& message, SteadyTime now) {
    if (terms_.extended) throw ProtocolError("NewMiningJob: it came on an extended channel");
    auto notify = std::make_shared<StandardNotify>();
    notify->version = message.version;
    notify->merkle_root = message.merkle_root;
    return take({message.job, std::move(notify), terms_.extranonce, source_.rolls_versions}, message.min_time, now);
}

bool Channel::take(const NewExtendedMiningJob& message, SteadyTime now) {
    auto notify = std::make_shared<BitcoinNotify>();
    notify->version = message.version;
    notify->coinbase1 = message.coinbase_prefix.bytes;
    notify->coinbase2 = message.coinbase_suffix.bytes;
    notify->branches = message.merkle_path;
    const bool rolls_versions = source_.rolls_versions && message.version_rolling_allowed;
    return take({message.job, std::move(notify), terms_.extranonce, rolls_versions}, message.min_time, now);
}

bool Channel::take(Waiting job, const std::optional<std::uint32_t>& min_time, SteadyTime now) {
    if (min_time) {
        if (!previous_) throw ProtocolError(fmt::format("job {} is for now, but no SetNewPrevHash came", job.job));
        put_on_block(job, *min_time, false);
        if (is_searched(job, now)) return false;
        begin(make_job(job, now));
        return true;
    }
    std::erase_if(waiting_, [&](const Waiting& other) { return other.job == job.job; });
    waiting_.push_back(std::move(job));
    if (waiting_.size() > (source_.of_several ? kMostWaitingOfSeveral : kMostWaiting)) waiting_.pop_front();
    return false;
}

bool Channel::take(const SetNewPrevHash& message, SteadyTime now) {
    // For the channel and for its group, and perhaps other jobs have followed in between.
    const bool is_repeated = job_ && previous_->previous_hash == message.previous_hash && is_valid(id_of(message.job));
    if (is_repeated && std::ranges::find(waiting_, message.job, &Waiting::job) == waiting_.end()) return false;
    if (!is_target(message.nbits)) {
        throw ProtocolError(fmt::format("SetNewPrevHash: nBits {} are no target", hex8(message.nbits)));
    }
    previous_ = message;
    const auto waiting = std::exchange(waiting_, {});
    const auto named = std::ranges::find(waiting, message.job, &Waiting::job);
    job_.reset();
    valid_jobs_.clear();
    submitted_.turn();
    if (named == waiting.end()) return true;
    put_on_block(*named, message.min_time, true);
    begin(make_job(*named, now));
    return true;
}

void Channel::begin(std::shared_ptr<const StratumJob> job) {
    job_ = std::move(job);
    if (!is_valid(job_->id())) valid_jobs_.push_back(job_->id());
    if (valid_jobs_.size() > kMostJobs) valid_jobs_.pop_front();
}

void Channel::put_on_block(const Waiting& job, std::uint32_t min_time, bool clean) const {
    StratumNotify& notify = *job.notify;
    notify.id = id_of(job.job);
    notify.previous_hash = previous_->previous_hash;
    notify.nbits = previous_->nbits;
    notify.time = min_time;
    notify.clean = clean;
    if (source_.of_several) notify.channel = terms_.id;
}

JobParameters Channel::parameters_of(const Waiting& job, SteadyTime now) const {
    JobParameters parameters;
    parameters.origin = source_.origin;
    parameters.extranonce1 = job.extranonce.extranonce1;
    parameters.extranonce2_size = job.extranonce.extranonce2_size;
    parameters.difficulty = terms_.work.difficulty;
    parameters.target = terms_.work.target;
    parameters.version_mask = job.rolls_versions ? kBip323Mask : 0;
    parameters.v2 = true;
    parameters.received = now;
    parameters.clock = source_.clock;
    parameters.first_extranonce2 = source_.recent_work->first_extranonce2();
    return parameters;
}

// To begin it anew would leave out what is searched now, and of one header a second there would be none.
bool Channel::is_searched(const Waiting& job, SteadyTime now) const {
    if (!job_ || !job_->notify().same_work(*job.notify)) return false;
    const JobParameters given = parameters_of(job, now), &searched = job_->parameters();
    return searched.same_space(given) && searched.target == given.target && searched.version_mask == given.version_mask;
}

std::shared_ptr<const StratumJob> Channel::make_job(const Waiting& job, SteadyTime now) const {
    JobParameters parameters = parameters_of(job, now);
    const auto earlier = source_.recent_work->find(*job.notify, parameters);
    auto made = job_of(job.notify, std::move(parameters), earlier.get());
    source_.recent_work->add(made);
    return made;
}

void Channel::go_on(SteadyTime now) {
    JobParameters parameters = job_->parameters();
    parameters.received = now;
    begin(job_of(job_->shared_notify(), std::move(parameters), job_.get()));
    source_.recent_work->add(job_);
}

// ----- shares -----

SubmitDecision Channel::assess(const StratumShare& share, bool again) const {
    if (submitted_.contains(share.hash)) return SubmitDecision::kDuplicate;
    const bool can_be_sent = job_number(share.job_id) && is_extranonce(share.extranonce2);
    if (!can_be_sent) return SubmitDecision::kStale;  // of a journal, from a pool of V1
    if (share.solves_block) return SubmitDecision::kSend;
    return is_valid(share.job_id) && !again ? SubmitDecision::kSend : SubmitDecision::kStale;
}

SubmitRequest Channel::submit(const StratumShare& share) {
    SubmitSharesExtended submit;
    submit.channel = terms_.id;
    submit.sequence = submits_.add(share.difficulty);
    submit.job = job_number(share.job_id).value();
    submit.nonce = share.nonce;
    submit.time = share.time;
    submit.version = share.version;
    submit.extranonce.bytes.resize(share.extranonce2.size() / 2);
    decode_hex(share.extranonce2, submit.extranonce.bytes);
    submitted_.insert(share.hash);
    return {request_of(submit.sequence),
            terms_.extended ? encode(submit) : encode(static_cast<const SubmitSharesStandard&>(submit))};
}

}  // namespace gpuminer::net::sv2
