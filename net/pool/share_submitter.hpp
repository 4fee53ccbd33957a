// From a hit to a share that a pool has answered: checked, written down, sent, counted, told to the user.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "net/journal.hpp"
#include "net/pool/connection.hpp"
#include "net/pool/pending_shares.hpp"
#include "net/pool/stats.hpp"

namespace gpuminer::net {

class ShareSubmitter {
public:
    using Say = std::function<void(Severity, const std::string&)>;
    /// References outlive the object. On the loop's thread.
    ShareSubmitter(const PoolOptions& options, const PoolTiming& timing, Journal& journal, PoolStats& stats, Say say);

    /// `session`: the one in use; null: none.
    void take(const JobHit& found, PoolConnection* session);
    /// Sends what waits for this session's pool.
    void send_waiting(PoolConnection& session);
    void answered(PoolConnection& session, std::uint64_t request, const ShareReply& answer);
    /// As PendingShares's.
    void subscribed(std::size_t pool, const Subscription& subscription);
    void connection_lost(std::uint64_t connection);
    [[nodiscard]] const Subscription& last_session(std::size_t pool) const { return book_.last_session(pool); }

    /// Nothing waits to be sent to this session's pool, or for an answer of the session.
    [[nodiscard]] bool idle(const PoolConnection& session);
    /// Sent on this connection, no answer yet.
    [[nodiscard]] std::size_t under_way(std::uint64_t connection) const { return book_.under_way(connection); }
    /// --shares or --blocks is reached.
    [[nodiscard]] bool enough() const;

private:
    bool is_late(const BookedShare& booked, const PoolConnection& session) const;
    [[nodiscard]] bool must_wait(const PoolConnection& session) const;
    void tell(const AnsweredShare& answered, const ShareReply& answer);
    void count_waiting();

    const PoolOptions& options_;
    PoolTiming timing_;
    PoolStats& stats_;
    Say say_;
    PendingShares book_;
    std::uint64_t accepted_ = 0;
    std::uint64_t blocks_ = 0;
};

}  // namespace gpuminer::net
