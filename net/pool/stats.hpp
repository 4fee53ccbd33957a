// The counts of the pool client, for any thread to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "host/mutex.hpp"
#include "net/pool/options.hpp"
#include "net/stratum/events.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

class StratumJob;
struct AnsweredShare;

/// For other programs; `server`: the pool's URL.
[[nodiscard]] AnsweredFind answered_find(const AnsweredShare& answered, const std::string& server);

class PoolStats {
public:
    explicit PoolStats(const PoolOptions& options);

    [[nodiscard]] WorkStatus snapshot() const;

    void connected(std::size_t pool, const std::string& server, const Subscription& subscription);
    void disconnected();
    void failed(std::size_t pool, const std::string& sentence);
    /// `payment`: as payment_text() gives it.
    void job(const StratumJob& job, const std::string& payment);
    /// The pool's newest could not be read: there is none for now.
    void unreadable_job();
    /// Found too late, not sent.
    void stale(std::size_t pool);
    /// `unanswered`: how many others are. At once, so that no snapshot has a share in both counts.
    void replied(std::size_t pool, const AnsweredShare& answered, std::size_t unanswered);
    void waiting(std::size_t unanswered, std::uint64_t resent);

private:
    struct Pool {
        std::string url, user, last_error;
        std::uint64_t connects = 0, accepted = 0, rejected = 0, stale = 0;
        std::deque<double> latencies = {};  ///< of its last replies, milliseconds
    };

    mutable Mutex mutex_;  ///< a leaf: no other mutex is locked while it is held
    WorkStatus status_ GPUMINER_GUARDED_BY(mutex_);
    std::vector<Pool> pools_ GPUMINER_GUARDED_BY(mutex_);
    Subscription session_ GPUMINER_GUARDED_BY(mutex_);
    std::uint32_t version_mask_ GPUMINER_GUARDED_BY(mutex_) = 0;
    std::optional<std::size_t> active_ GPUMINER_GUARDED_BY(mutex_);  // the pool in use
    std::size_t newest_ GPUMINER_GUARDED_BY(mutex_) = 0;             // the one in use, or that was the last
    std::optional<std::uint32_t> height_ GPUMINER_GUARDED_BY(mutex_);
    std::optional<bool> bip54_ GPUMINER_GUARDED_BY(mutex_);  // of the coinbase: follows_bip54()
    std::string payment_ GPUMINER_GUARDED_BY(mutex_);
    std::uint64_t resent_ GPUMINER_GUARDED_BY(mutex_) = 0;
};

}  // namespace gpuminer::net
