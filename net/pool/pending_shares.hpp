// Every share from the moment it is found until a pool has answered it, on disk as well as in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "net/journal.hpp"
#include "net/pool/client.hpp"
#include "net/stratum/session.hpp"

namespace gpuminer::net {

struct BookedShare {
    std::string id;        ///< unique over all runs
    std::size_t pool = 0;  ///< index among the options' pools
    /// Number of the connection whose job it solves; 0: one of an earlier run.
    std::uint64_t connection = 0;
    StratumShare share;
    std::optional<std::uint64_t> request;  ///< the session's id, while it is under way
    std::uint64_t sent_on = 0;             ///< number of the connection that it is under way on
    SteadyTime sent{};
    bool again = false;  ///< it was sent, or may have been, on an earlier connection
};

/// A share that a pool has answered.
struct AnsweredShare {
    BookedShare share;
    bool accepted = false;  ///< or known to the pool already, where it was sent again
    double latency_ms = 0;
};

/// Shares of all pools that wait for their answer. On one thread. What is to be on disk is, when a function returns;
/// where the journal cannot be written, `complain` is told and the work goes on without.
class PendingShares {
public:
    /// Takes up what an earlier run left unanswered for one of these pools (same URL and user).
    PendingShares(Journal& journal, const std::vector<PoolLogin>& pools, std::function<void(std::string)> complain);

    /// The last session with a pool, to be resumed; empty strings where there is none.
    [[nodiscard]] const Subscription& last_session(std::size_t pool) const { return pools_[pool].session; }
    /// A session begins: shares of another extranonce are of no use in it and are given up, except blocks.
    void subscribed(std::size_t pool, const Subscription& subscription);
    /// Writes it down. The oldest is given up where very many wait.
    BookedShare& add(std::size_t pool, std::uint64_t connection, StratumShare share, const std::string& header_hex);
    /// Those to be sent, oldest first.
    [[nodiscard]] std::vector<BookedShare*> unsent(std::size_t pool);
    /// Requests are counted by each connection anew, so it takes both numbers to tell one.
    void sent(BookedShare& share, std::uint64_t connection, std::uint64_t request, SteadyTime now);
    /// The pool's reply; empty for a request that is not of this connection.
    std::optional<AnsweredShare> answered(std::uint64_t connection, std::uint64_t request, const ShareReply& answer,
                                          SteadyTime now);
    /// Gives it up; the reference is of no use any more.
    void drop(const BookedShare& share, const std::string& reason);
    /// What is under way on this connection will not be answered on it.
    void connection_lost(std::uint64_t connection);

    [[nodiscard]] std::size_t waiting() const { return shares_.size(); }  ///< for an answer, over all pools
    [[nodiscard]] std::size_t under_way(std::uint64_t connection) const;  ///< sent, no answer yet
    /// Of those under way, shares of other connections that were sent on this one after `since`.
    [[nodiscard]] std::size_t repeated(std::uint64_t connection, SteadyTime since) const;
    /// When the last one under way was sent; empty: none is.
    [[nodiscard]] std::optional<SteadyTime> last_sent(std::uint64_t connection) const;
    [[nodiscard]] std::uint64_t resent() const { return resent_; }

private:
    struct Pool {
        std::string name;  ///< in the journal
        std::string user;
        Subscription session;
    };
    void recover(const std::vector<nlohmann::json>& entries);
    void write(const nlohmann::json& entry);

    Journal& journal_;
    std::vector<Pool> pools_;
    std::function<void(std::string)> complain_;
    std::list<BookedShare> shares_;  // references stay valid
    std::string run_;                // first part of the ids
    std::uint64_t counter_ = 0;
    std::uint64_t resent_ = 0;
    SteadyTime complained_{};
};

/// "stratum+tcp://host:port", whatever way it was written.
[[nodiscard]] std::string canonical_url(const Endpoint& url);

}  // namespace gpuminer::net
