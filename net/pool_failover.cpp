#include "net/pool_failover.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpuminer::net {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.001, 86400.0) * 1000));
}

}  // namespace

PoolFailover::PoolFailover(const PoolOptions& options, std::uint64_t seed)
    : retries_(options.retries), backoff_(milliseconds(options.retry_pause), seed) {
    for (const PoolLogin& login : options.pools) pools_.push_back({login.url, login.url, 0, false, false, ""});
}

void PoolFailover::begin_round(std::size_t limit) {
    next_ = 0;
    limit_ = std::min(limit, pools_.size());
    if (limit_ == pools_.size()) return;
    for (Pool& pool : pools_) pool.refused = false;
}

std::optional<std::size_t> PoolFailover::next() {
    while (next_ < limit_ && pools_[next_].refused) ++next_;
    if (next_ >= limit_) return std::nullopt;
    return next_++;
}

std::optional<std::chrono::milliseconds> PoolFailover::pause_after_round() {
    const bool all_refuse = std::all_of(pools_.begin(), pools_.end(), [](const Pool& pool) { return pool.refused; });
    if (all_refuse || (retries_ && failed_rounds_++ >= *retries_)) return std::nullopt;
    return backoff_.next();
}

std::chrono::milliseconds PoolFailover::pause_after_session(bool was_long) {
    return was_long ? backoff_.soon() : backoff_.next();
}

void PoolFailover::failed(std::size_t pool, bool refused, const std::string& sentence) {
    Pool& record = pools_[pool];
    record.refused = refused;
    record.failure = sentence;
    record.url = record.original;
}

void PoolFailover::logged_in(std::size_t pool, bool with_extensions) {
    failed_rounds_ = 0;
    backoff_.reset();
    for (Pool& record : pools_) record.refused = false;  // one that works gives time to ask the others again
    pools_[pool].failure.clear();
    pools_[pool].redirects = 0;
    if (with_extensions) pools_[pool].takes_extensions = true;
}

bool PoolFailover::redirect(std::size_t pool, const PoolUrl& to) {
    constexpr unsigned kMostRedirects = 5;
    if (++pools_[pool].redirects > kMostRedirects) return false;
    pools_[pool].url = to;
    return true;
}

std::string PoolFailover::sentence() const {
    std::string text;
    for (const Pool& pool : pools_) {
        if (!text.empty()) text += "; ";
        if (pool.failure.find(pool.url.host) == std::string::npos) text += pool.url.text + ": ";
        text += pool.failure;
    }
    return fmt::format("no pool can be used: {}", text);
}

}  // namespace gpuminer::net
