// Shares without a reply, from the moment that they are found, in memory and in the journal.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "net/journal/journal.hpp"
#include "net/pool/options.hpp"
#include "net/steady_time.hpp"
#include "net/stratum/events.hpp"
#include "net/stratum/job.hpp"
#include "net/token_bucket.hpp"

namespace gpuminer::net {

/// Sums of the shares that get no journal entries of their own: of one pool, since they were last written.
struct ShareSums {
    std::uint64_t shares = 0;  ///< found
    std::uint64_t accepted = 0, refused = 0;
    std::uint64_t dropped = 0;  ///< not sent, or given up
    double accepted_difficulty = 0;

    [[nodiscard]] bool empty() const { return shares + accepted + refused + dropped == 0; }
    /// The journal's entry, event "shares", without pool, user and time.
    [[nodiscard]] nlohmann::json entry() const;
};

struct PendingShare {
    std::string id;  ///< unique over all runs
    /// The pool is an index among the options' pools; connection 0: one of an earlier run.
    JobOrigin origin;
    StratumShare share;
    std::optional<std::uint64_t> request;  ///< the request's id, while it is in flight
    std::uint64_t sent_on = 0;             ///< number of the connection that it is in flight on
    SteadyTime sent{};
    bool again = false;         ///< it was sent, or may have been, on an earlier connection
    JournalTicket written = 0;  ///< its entry; 0: it has none to be waited for
    bool summed = false;        ///< it has none, and is counted in ShareSums
};

struct AnsweredShare {
    PendingShare pending;
    ShareReply reply;  ///< kAccepted, too, where the share was sent again and the pool has it from the first time
    double latency_ms = 0;
    bool is_block = false;  ///< accepted, and the first that solves a block on top of its previous one
};

/// Of all pools. On one thread. Each change goes into the journal's queue; a share is to be sent once its entry is
/// released (Journal::released()).
class PendingShares {
public:
    /// `algorithm`: of the shares; those of others are not taken up.
    PendingShares(Journal& journal, const std::vector<PoolLogin>& pools, const Algorithm& algorithm);
    /// Writes the last sums.
    ~PendingShares();
    PendingShares(const PendingShares&) = delete;
    PendingShares& operator=(const PendingShares&) = delete;

    /// Takes up what an earlier run left unanswered for one of these pools (same URL, user and algorithm), if the
    /// journal has got it by now. The constructor does so, too.
    void take_up();

    /// The last session with a pool, to be resumed; empty strings where there is none.
    [[nodiscard]] const Subscription& last_session(std::size_t pool) const { return pools_[pool].session; }
    /// A session begins: shares of another extranonce are of no use in it and are given up, except blocks.
    void subscribed(std::size_t pool, const Subscription& subscription);
    /// Has it written down. The oldest is given up where very many wait.
    PendingShare& add(const JobOrigin& origin, StratumShare share, const std::string& header_hex);
    /// Those to be sent, oldest first; also such as are not released yet.
    [[nodiscard]] std::vector<PendingShare*> unsent(std::size_t pool);
    [[nodiscard]] Journal& journal() { return journal_; }
    /// True: from now on shares get no entries of their own but are summed, except some that solve a block.
    void set_summing(bool summing) { summing_ = summing; }
    /// Writes what was summed since the last call, one entry a pool. Returns the sum over all pools.
    ShareSums write_sums();
    /// Requests are counted by each connection anew, so it takes both numbers to tell one.
    void sent(PendingShare& pending, std::uint64_t connection, std::uint64_t request, SteadyTime now);
    /// The pool's reply; empty for a request that is not of this connection.
    std::optional<AnsweredShare> replied(std::uint64_t connection, std::uint64_t request, const ShareReply& reply,
                                         SteadyTime now);
    /// Gives it up; the reference is of no use any more.
    void drop(const PendingShare& pending, const std::string& reason);
    /// What is in flight on this connection will not be answered on it.
    void connection_lost(std::uint64_t connection);

    [[nodiscard]] std::size_t waiting() const { return shares_.size(); }  ///< for a reply, over all pools
    [[nodiscard]] std::size_t in_flight(std::uint64_t connection) const;  ///< sent, no reply yet
    /// Of those in flight, shares that were sent on this connection after `since`.
    [[nodiscard]] std::size_t lately_sent(std::uint64_t connection, SteadyTime since) const;
    /// Of these, shares of other connections.
    [[nodiscard]] std::size_t repeated(std::uint64_t connection, SteadyTime since) const;
    /// When the last one in flight was sent; empty: none is.
    [[nodiscard]] std::optional<SteadyTime> last_sent(std::uint64_t connection) const;
    [[nodiscard]] std::uint64_t resent() const { return resent_; }

private:
    struct Pool {
        std::string name;  ///< in the journal
        std::string user;
        Subscription session;
        bool subscribed = false;  ///< in this run
        ShareSums sums;
    };
    void take_up(const nlohmann::json& entry);
    [[nodiscard]] bool is_to_be_summed(const StratumShare& share);

    Journal& journal_;
    const std::string algorithm_;
    std::vector<Pool> pools_;
    std::list<PendingShare> shares_;  // references stay valid
    std::string run_;                 // first part of the ids
    std::uint64_t counter_ = 0;
    std::uint64_t resent_ = 0;
    bool summing_ = false;
    TokenBucket block_entries_{10, 1};  // while summing
};

}  // namespace gpuminer::net
