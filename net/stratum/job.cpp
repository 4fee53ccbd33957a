#include "net/stratum/job.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/search/version_space.hpp"
#include "host/text/text.hpp"
#include "net/stratum/message.hpp"

namespace gpuminer::net {

using nlohmann::json;

const json& NotifyReader::next(const char* name) {
    static const json kNull;
    name_ = name;
    const std::size_t at = at_++;
    return params_.is_array() && at < params_.size() ? params_[at] : kNull;
}

void NotifyReader::fail(std::string_view expected) const {
    throw ProtocolError(fmt::format("mining.notify: expected {} as {}", expected, name_));
}

const std::string& NotifyReader::text(const json& value) const {
    if (!value.is_string()) fail("a text");
    return value.get_ref<const std::string&>();
}

Bytes NotifyReader::bytes(const json& value) const {
    const std::string& digits = text(value);
    try {
        require_hex_digits(digits, "hex");
    } catch (const InputError&) {
        fail("hex digits");
    }
    if (digits.size() % 2 != 0) fail("an even number of hex digits");
    Bytes out(digits.size() / 2);
    decode_hex(digits, out);
    return out;
}

Digest NotifyReader::hash(const json& value) const {
    const Bytes raw = bytes(value);
    Digest out{};
    if (raw.size() != out.size()) fail("64 hex digits");
    std::copy(raw.begin(), raw.end(), out.begin());
    return out;
}

Bytes NotifyReader::word(const json& value) const {
    Bytes raw = bytes(value);
    if (raw.size() != 4) fail("8 hex digits");
    return raw;
}

std::uint32_t NotifyReader::number(const json& value) const {
    const std::optional<std::uint32_t> number = parse_hex32(text(value));
    if (!number) fail("1 to 8 hex digits");
    return *number;
}

std::string NotifyReader::read_id() {
    constexpr std::size_t kLongest = 256;
    const json& value = next("job id");
    std::string id = value.is_number_integer() ? value.dump() : text(value);
    if (id.size() > kLongest) fail(fmt::format("at most {} bytes", kLongest));
    return id;
}

bool NotifyReader::read_clean(std::string& oddity) {
    const json& clean = next("clean jobs");
    if (clean.is_null()) return false;
    if (clean.is_boolean()) return clean.get<bool>();
    if (const std::optional<std::int64_t> number = whole_number(clean)) return *number != 0;
    const std::string word = clean.is_string() ? ascii_lower(clean.get_ref<const std::string&>()) : clean.dump();
    if (word.empty() || word == "false" || word == "no") return false;
    if (word != "true" && word != "yes") {
        oddity = fmt::format("mining.notify: expected true or false as clean jobs, got {}: it counts as true",
                             quoted_json(clean));
    }
    return true;
}

std::string NotifyReader::surplus() const {
    if (params_.size() <= at_) return {};
    return fmt::format("mining.notify: expected {} parameters, got {}: what follows is passed over", at_,
                       params_.size());
}

namespace {

// Numbers between the last header of a job and the first of the one that continues it: for devices that still take
// headers of the old one. Of one a second none is to be wasted.
std::uint64_t gap(const JobParameters& parameters) { return parameters.bound_to_clock() ? 1 : 64; }
// Headers that there are to be again before a job that has run out goes on: a reason to wake the devices.
std::uint64_t worth_going_on(const JobParameters& parameters) { return parameters.bound_to_clock() ? 0 : 30; }

Hash256 block_target_of(std::uint32_t nbits) {
    try {
        return target_from_nbits(nbits);
    } catch (const InputError& error) {
        throw ProtocolError(std::string("mining.notify: ") + error.what());
    }
}

}  // namespace

std::optional<Hash256> share_target(double difficulty) {
    if (!std::isfinite(difficulty) || difficulty <= 0) return std::nullopt;
    return target_from_difficulty(difficulty);
}

StratumJob::StratumJob(std::shared_ptr<const StratumNotify> notify, JobParameters parameters,
                       const StratumJob* continues)
    : notify_(std::move(notify)), parameters_(std::move(parameters)), block_target_(block_target_of(notify_->nbits)) {
    const std::optional<Hash256> target =
        parameters_.target ? parameters_.target : share_target(parameters_.difficulty);
    if (!target) throw std::invalid_argument("a difficulty has to be positive");
    target_ = *target;
    if (parameters_.rolling.form != VersionBits::kNone) {
        version_mask_ = parameters_.version_mask & parameters_.rolling.within & kBip323Mask & ~notify_->version;
    }
    aged_from_ = parameters_.received;
    if (continues != nullptr) {
        // A pool's clock begins with its connection, but what only the time tells apart is not to begin again.
        const bool is_same_clock = !parameters_.v2 || parameters_.bound_to_clock() ||
                                   parameters_.origin.connection == continues->parameters_.origin.connection;
        if (is_same_clock) aged_from_ = continues->aged_from_;
        made_ = continues->made_;
        first_ = std::max(made_->load(), continues->first_) + gap(parameters_);  // its first header may be yet to come
    } else {
        made_ = std::make_shared<std::atomic<std::uint64_t>>(0);
    }
}

BlockHeader StratumJob::header(std::uint64_t index) const {
    const std::uint64_t number = first_ + index;
    std::uint64_t made = made_->load();
    while (made <= number && !made_->compare_exchange_weak(made, number + 1)) {
    }
    return make_header(number);
}

bool StratumJob::has_header(std::uint64_t index) const {
    const bool due = is_due(first_ + index);
    if (!due) ran_out_ = true;
    return due;
}

bool StratumJob::goes_on() const {
    return ran_out_ && is_due(std::max(made_->load(), first_) + worth_going_on(parameters_)) &&
           ran_out_.exchange(false);
}

std::chrono::seconds StratumJob::age() const {
    if (!parameters_.clock) return std::chrono::seconds(0);
    return std::chrono::duration_cast<std::chrono::seconds>(parameters_.clock() - aged_from_);
}

std::string StratumJob::extranonce1() const { return to_hex(parameters_.extranonce1); }

std::string StratumJob::extranonce2(std::uint64_t index) const { return to_hex(extranonce2_of(first_ + index)); }

StratumShare StratumJob::share(const JobHit& found) const {
    const BlockHeader& header = found.hit.header;
    StratumShare share;
    share.job_id = notify_->id;
    share.extranonce2 = extranonce2(found.index);
    share.time = header.time();
    share.nonce = header.nonce();
    const std::uint32_t rolled = header.version() ^ notify_->version;
    share.version = header.version();
    share.version_bits_as = parameters_.rolling.form;
    share.version_bits =
        share.version_bits_as == VersionBits::kMasked ? header.version() & parameters_.version_mask : rolled;
    if (!parameters_.v2) {  // where they can be misread
        share.rolls_further_bits = (rolled & ~kAskedVersionBits) != 0;
        share.job_has_masked_bits = (notify_->version & parameters_.version_mask) != 0;
    }
    share.extranonce1 = extranonce1();
    share.hash = found.hit.hash;
    share.difficulty = parameters_.difficulty;
    share.solves_block = found.hit.hash <= block_target_;
    if (share.solves_block) share.previous = display_order(notify_->previous_hash);
    complete(share, header);
    return share;
}

std::shared_ptr<const StratumJob> RecentWork::find(const StratumNotify& notify, const JobParameters& parameters) const {
    const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) {
        return job->notify().same_work(notify) && job->parameters().same_space(parameters);
    });
    return found == jobs_.end() ? nullptr : *found;
}

void RecentWork::add(std::shared_ptr<const StratumJob> job) {
    std::erase(jobs_, find(job->notify(), job->parameters()));
    jobs_.push_back(std::move(job));
    if (jobs_.size() > kMost) jobs_.pop_front();
}

}  // namespace gpuminer::net
