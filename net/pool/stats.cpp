#include "net/pool/stats.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/bitcoin/coinbase_view.hpp"
#include "net/pool/pending_shares.hpp"
#include "net/stratum/job.hpp"

namespace gpuminer::net {

AnsweredFind answered_find(const AnsweredShare& answered, const std::string& server) {
    const StratumShare& share = answered.pending.share;
    const SubmitVerdict verdict = answered.reply.verdict;
    return {.is_block = answered.is_block,
            .verdict = verdict == SubmitVerdict::kAccepted ? "accepted"
                       : verdict == SubmitVerdict::kStale  ? "stale"
                                                           : "rejected",
            .hash = share.hash.hex(),
            .difficulty = share.difficulty,
            .share_difficulty = difficulty_of(share.hash),
            .latency_ms = answered.latency_ms,
            .server = server,
            .reason = answered.reply.reason};
}

PoolStats::PoolStats(const PoolOptions& options) {
    for (const PoolLogin& login : options.pools) pools_.push_back({login.url.text, login.user, ""});
}

WorkStatus PoolStats::snapshot() const {
    using nlohmann::json;
    const MutexLock lock(mutex_);
    WorkStatus status = status_;
    if (!pools_[newest_].latencies.empty()) {
        std::vector<double> sorted(pools_[newest_].latencies.begin(), pools_[newest_].latencies.end());
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        status.latency_ms = *middle;
    }
    json pools = json::array();
    for (const Pool& pool : pools_) {
        pools.push_back({{"url", pool.url},
                         {"user", pool.user},
                         {"active", active_ == pools.size()},
                         {"connects", pool.connects},
                         {"accepted", pool.accepted},
                         {"rejected", pool.rejected},
                         {"stale", pool.stale},
                         {"last_error", pool.last_error}});
    }
    status.details = {{"session", session_.session},
                      {"extranonce1", session_.extranonce1},
                      {"extranonce2_size", session_.extranonce2_size},
                      {"version_mask", version_mask_ != 0 ? json(hex8(version_mask_)) : json()},
                      {"height", height_ ? json(*height_) : json()},
                      {"bip54", bip54_ ? json(*bip54_) : json()},
                      {"payment", payment_.empty() ? json() : json(payment_)},
                      {"pools", std::move(pools)},
                      {"resent", resent_}};
    return status;
}

void PoolStats::connected(std::size_t pool, const std::string& server, const Subscription& subscription) {
    const MutexLock lock(mutex_);
    status_.server = server;
    status_.connected = status_.unreadable = false;  // until there is a job
    status_.logged_in = true;
    session_ = subscription;
    active_ = newest_ = pool;
    ++pools_[pool].connects;
    pools_[pool].last_error.clear();
}

void PoolStats::disconnected() {
    const MutexLock lock(mutex_);
    status_.connected = status_.logged_in = false;
    active_.reset();
}

void PoolStats::failed(std::size_t pool, const std::string& sentence) {
    const MutexLock lock(mutex_);
    pools_[pool].last_error = sentence;
}

void PoolStats::job(const StratumJob& job, const std::string& payment) {
    const Bytes coinbase = job.coinbase(0);
    const std::optional<std::uint32_t> height = coinbase_height(coinbase);
    const std::optional<bool> bip54 = follows_bip54(coinbase);
    const MutexLock lock(mutex_);
    height_ = height;
    bip54_ = bip54;
    payment_ = payment;
    status_.connected = true;
    status_.unreadable = false;
    status_.difficulty = job.difficulty();
    status_.network_difficulty = difficulty_of(job.block_target());
    version_mask_ = job.version_mask();
    session_.extranonce1 = job.extranonce1();
    session_.extranonce2_size = job.parameters().extranonce2_size;
}

void PoolStats::unreadable_job() {
    const MutexLock lock(mutex_);
    status_.connected = false;
    status_.unreadable = true;
}

void PoolStats::stale(std::size_t pool) {
    const MutexLock lock(mutex_);
    ++status_.stale;
    ++pools_[pool].stale;
}

void PoolStats::replied(std::size_t pool, const AnsweredShare& answered, std::size_t unanswered) {
    constexpr std::size_t kMostReasons = 50;  // the text is the pool's, which may have a new one each time
    constexpr std::size_t kLatencies = 1000;
    const MutexLock lock(mutex_);
    status_.unanswered = unanswered;
    std::deque<double>& latencies = pools_[pool].latencies;
    latencies.push_back(answered.latency_ms);
    if (latencies.size() > kLatencies) latencies.pop_front();
    const SubmitVerdict verdict = answered.reply.verdict;
    if (verdict == SubmitVerdict::kAccepted) {
        ++status_.accepted;
        ++pools_[pool].accepted;
        status_.accepted_difficulty += answered.pending.share.difficulty;
        if (answered.is_block) ++status_.blocks;
        return;
    }
    const bool stale = verdict == SubmitVerdict::kStale;
    ++(stale ? status_.stale : status_.rejected);
    ++(stale ? pools_[pool].stale : pools_[pool].rejected);
    status_.refusals.add(answered.reply.kind);
    const std::string& reason = answered.reply.reason;
    const bool room = status_.reject_reasons.size() < kMostReasons || status_.reject_reasons.count(reason) != 0;
    ++status_.reject_reasons[room ? reason : "other reasons"];
}

void PoolStats::waiting(std::size_t unanswered, std::uint64_t resent) {
    const MutexLock lock(mutex_);
    status_.unanswered = unanswered;
    resent_ = resent;
}

}  // namespace gpuminer::net
