// The way of a hit to an answered share: checking, journal, sending, counting, messages.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "net/pool/connection.hpp"
#include "net/pool/messages.hpp"
#include "net/pool/pending_shares.hpp"
#include "net/pool/stats.hpp"
#include "net/pool/suggested_difficulty.hpp"

namespace gpuminer::net {

class ShareSubmitter {
public:
    using Say = std::function<void(Severity, const std::string&)>;
    /// References outlive the object. On the loop's thread.
    ShareSubmitter(const PoolOptions& options, const PoolTiming& timing, Journal& journal, PoolStats& stats, Say say);

    /// `connection`: the one in use; null: none. True: shares come so fast that the pool is to be asked for more
    /// difficulty.
    [[nodiscard]] bool take(const JobHit& found, PoolConnection* connection);
    /// Sends what waits for this connection's pool and is released by the journal.
    void send_waiting(PoolConnection& connection);
    /// About once a second.
    void tick();
    /// Takes up what an earlier run left unanswered, where the journal has got it only now.
    void take_up();
    /// Seconds between shares, on average over the last ones.
    [[nodiscard]] double interval() const { return flood_.interval(); }
    /// Empty: no share was sent with this request, or its reply has come already.
    std::optional<AnsweredShare> replied(PoolConnection& connection, std::uint64_t request, const ShareReply& reply);
    /// A session begins: shares of another extranonce are given up, except blocks.
    void subscribed(std::size_t pool, const Subscription& subscription);
    /// Its shares will not be answered any more, and are sent again on another.
    void connection_lost(std::uint64_t connection);
    /// The last session with a pool, to be resumed; empty strings where there is none.
    [[nodiscard]] const Subscription& last_session(std::size_t pool) const { return pending_.last_session(pool); }

    /// Nothing waits to be sent to this connection's pool, or for a reply on the connection.
    [[nodiscard]] bool idle(const PoolConnection& connection);
    /// Sent on this connection, no reply yet.
    [[nodiscard]] std::size_t in_flight(std::uint64_t connection) const { return pending_.in_flight(connection); }
    /// --shares or --blocks is reached.
    [[nodiscard]] bool enough() const;

private:
    /// Sends it or gives it up. True: it was sent.
    bool send(PendingShare& pending, PoolConnection& connection, bool again);
    [[nodiscard]] bool is_late(const PendingShare& pending, const PoolConnection& connection) const;
    [[nodiscard]] bool must_wait(const PoolConnection& connection) const;
    /// Of an accepted share that solves a block: whether it is the first on top of its previous one. The node keeps no
    /// other.
    [[nodiscard]] bool is_first_block(const Hash256& previous);
    void tell(const AnsweredShare& answered);
    void follow(ShareFlood::Step step);
    void write_sums();
    void count_waiting();

    const PoolOptions& options_;
    PoolTiming timing_;
    PoolStats& stats_;
    Say say_;
    MessageLimit say_reply_;  // leaves room for what matters more
    PendingShares pending_;
    std::uint64_t accepted_ = 0, rejected_ = 0;
    std::uint64_t blocks_ = 0;
    std::deque<Hash256> built_on_;  ///< by those blocks, the last ones
    ShareFlood flood_;
    SteadyTime sums_written_{};  // while summing
};

}  // namespace gpuminer::net
