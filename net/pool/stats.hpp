// The counts of the pool client, for any thread to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "net/pool/client.hpp"
#include "net/stratum/events.hpp"

namespace gpuminer::net {

class StratumJob;
struct AnsweredShare;

class PoolStats {
public:
    explicit PoolStats(const PoolOptions& options);

    [[nodiscard]] WorkStatus snapshot() const;

    void connected(std::size_t pool, const std::string& server, const Subscription& subscription);
    void disconnected();
    void failed(std::size_t pool, const std::string& sentence);
    void job(const StratumJob& job);
    void found(const Hash256& hash);
    /// Found too late, not sent.
    void stale(std::size_t pool);
    void replied(std::size_t pool, const AnsweredShare& answered);
    void waiting(std::size_t unanswered, std::uint64_t resent);

private:
    struct Pool {
        std::string url, user, last_error;
        std::uint64_t connects = 0, accepted = 0, rejected = 0, stale = 0;
    };
    mutable std::mutex mutex_;
    WorkStatus status_;
    std::vector<Pool> pools_;
    std::string journal_;
    Subscription session_;
    std::uint32_t version_mask_ = 0;
    std::uint64_t resent_ = 0;
    std::deque<double> latencies_;  // of the last replies, milliseconds
};

}  // namespace gpuminer::net
