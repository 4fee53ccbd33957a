#include "net/pool/schedule.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

std::chrono::milliseconds to_milliseconds(double pause_seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(pause_seconds, 0.001, 86400.0) * 1000));
}

}  // namespace

PoolSchedule::PoolSchedule(const PoolOptions& options, std::uint64_t seed)
    : retries_(options.retries), backoff_(to_milliseconds(options.retry_pause), seed) {
    for (const PoolLogin& login : options.pools) {
        order_.push_back(pools_.size());
        pools_.push_back({.url = login.url, .original = login.url});
    }
}

void PoolSchedule::prefer(std::size_t pool) {
    std::erase(order_, pool);
    order_.insert(order_.begin(), pool);
    pools_[pool].refused = false;
    pools_[pool].not_before = {};
}

std::size_t PoolSchedule::rank_of(std::size_t pool) const {
    return static_cast<std::size_t>(std::ranges::find(order_, pool) - order_.begin());
}

void PoolSchedule::begin_round(std::size_t limit) {
    next_ = 0;
    limit_ = std::min(limit, pools_.size());
    if (limit_ == pools_.size()) return;
    for (Pool& pool : pools_) pool.refused = false;
}

std::optional<std::size_t> PoolSchedule::next(SteadyTime now) {
    while (next_ < limit_) {
        const std::size_t number = order_[next_++];
        if (!pools_[number].refused && pools_[number].not_before <= now) return number;
    }
    return std::nullopt;
}

std::optional<std::chrono::milliseconds> PoolSchedule::pause_after_round(SteadyTime now) {
    const bool all_refuse = std::all_of(pools_.begin(), pools_.end(), [](const Pool& pool) { return pool.refused; });
    if (all_refuse) return std::nullopt;
    // A pool that asked for a pause has not failed, nor has the round in which it has its pause.
    const auto asked = wait(pools_.size(), now);
    const bool others = std::any_of(pools_.begin(), pools_.end(),
                                    [now](const Pool& pool) { return !pool.refused && pool.not_before <= now; });
    if (asked) return others ? std::min(*asked, backoff_.next()) : asked;
    if (retries_ && failed_rounds_++ >= *retries_) return std::nullopt;
    return backoff_.next();
}

std::optional<std::chrono::milliseconds> PoolSchedule::wait(std::size_t limit, SteadyTime now) const {
    std::optional<std::chrono::milliseconds> shortest;
    for (std::size_t rank = 0; rank < limit; ++rank) {
        const Pool& pool = pools_[order_[rank]];
        if (pool.refused || pool.not_before <= now) continue;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(pool.not_before - now);
        shortest = std::min(shortest.value_or(left), left);
    }
    return shortest;
}

std::chrono::milliseconds PoolSchedule::pause_before_better(std::size_t limit, std::chrono::milliseconds usual,
                                                            SteadyTime now) const {
    return std::min(usual, wait(limit, now).value_or(usual));
}

std::chrono::milliseconds PoolSchedule::pause_after_session(bool was_long) {
    return was_long ? backoff_.soon() : backoff_.next();
}

void PoolSchedule::failed(std::size_t pool, bool refused, const std::string& sentence) {
    Pool& record = pools_[pool];
    record.refused = refused && !record.took_login;
    record.failure = sentence;
    record.url = record.original;
}

void PoolSchedule::logged_in(std::size_t pool, bool with_extensions) {
    backoff_.reset();
    pools_[pool].refused = false;
    pools_[pool].took_login = true;
    if (with_extensions) pools_[pool].takes_extensions = true;
}

void PoolSchedule::worked(std::size_t pool) {
    failed_rounds_ = 0;
    backoff_.reset();
    for (Pool& record : pools_) record.refused = false;  // one that works gives time to ask the others again
    pools_[pool].failure.clear();
    pools_[pool].redirects = 0;
}

bool PoolSchedule::redirect(std::size_t pool, const Endpoint& to) {
    constexpr unsigned kMostRedirects = 5;
    if (++pools_[pool].redirects > kMostRedirects) return false;
    pools_[pool].url = to;
    return true;
}

std::chrono::minutes PoolSchedule::refuses_shares(std::size_t pool, SteadyTime now) {
    constexpr unsigned kMostDoublings = 4;
    const std::chrono::minutes pause(1U << std::min(pools_[pool].refusing++, kMostDoublings));
    postpone(pool, now + pause);
    return pause;
}

std::optional<VersionRolling> PoolSchedule::misread(std::size_t pool, const StratumShare& share) {
    VersionRolling& now = pools_[pool].rolling;
    if (share.rolls_further_bits && !pools_[pool].takes_bip323) {
        if (std::exchange(now.within, kAskedVersionBits) == kAskedVersionBits) return std::nullopt;
        return now;
    }
    const VersionBits form = share.version_bits_as;
    if (!share.job_has_masked_bits || form != now.form || form == VersionBits::kNone) return std::nullopt;
    now.form = form == VersionBits::kMasked ? VersionBits::kChanged : VersionBits::kNone;
    return now;
}

void PoolSchedule::accepted(std::size_t pool, const StratumShare& share) {
    pools_[pool].takes_bip323 = pools_[pool].takes_bip323 || share.rolls_further_bits;
}

std::string PoolSchedule::sentence() const {
    std::string text;
    for (const Pool& pool : pools_) {
        if (!text.empty()) text += "; ";
        if (pool.failure.find(pool.url.host) == std::string::npos) text += pool.url.text + ": ";
        text += pool.failure;
    }
    return fmt::format("no pool can be used: {}", text);
}

void PoolJudge::begin(std::size_t pool) {
    pool_ = pool;
    worked_ = false;
    refusals_ = 0;
}

void PoolJudge::has_worked() {
    if (!std::exchange(worked_, true)) schedule_.worked(pool_);
}

std::optional<PoolJudge::Misreading> PoolJudge::find_misreading(const StratumShare& share, const ShareReply& reply) {
    if (reply.verdict == SubmitVerdict::kAccepted) schedule_.accepted(pool_, share);
    if (reply.kind != RefusalKind::kLowDifficulty || reply.outdated) return std::nullopt;
    const VersionRolling before = schedule_.rolling(pool_);
    const auto rolling = schedule_.misread(pool_, share);
    if (!rolling) return std::nullopt;
    refusals_ = 0;
    const std::string change =
        rolling->within != before.within
            ? fmt::format("sending only those of BIP 320 ({}) from now on", hex8(kAskedVersionBits))
        : rolling->form == VersionBits::kChanged ? "sending only changed bits from now on"
                                                 : "versions are no longer rolled for it";
    return Misreading{*rolling, "the pool seems to misread version bits; " + change};
}

std::optional<std::string> PoolJudge::count_refusal(const ShareReply& reply, SteadyTime now) {
    constexpr unsigned kMostRefusals = 20;
    if (reply.verdict == SubmitVerdict::kAccepted) {
        refusals_ = 0;
        schedule_.takes_shares(pool_);
        return std::nullopt;
    }
    if (reply.verdict == SubmitVerdict::kStale || reply.kind == RefusalKind::kDuplicate || reply.outdated)
        return std::nullopt;
    if (++refusals_ != kMostRefusals) return std::nullopt;
    // A ban, perhaps, which more of them would make longer.
    const std::chrono::minutes pause = schedule_.refuses_shares(pool_, now);
    return fmt::format("the pool has refused {} shares in a row, the last one as {}; it is not used for {} min",
                       kMostRefusals, quoted_text(reply.reason, 100), pause.count());
}

}  // namespace gpuminer::net
