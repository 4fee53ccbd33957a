// The order and the times in which pools are tried: the first that can be used, others while it cannot. The order is
// that of the command line, until the user prefers one. And the judge of the pool in use, whose findings the order
// follows.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/pool/options.hpp"
#include "net/steady_time.hpp"
#include "net/stratum/events.hpp"
#include "net/transport/backoff.hpp"

namespace gpuminer::net {

/// No timer and no socket. A round tries pools in their order, up to the one in use. Pools have their numbers on the
/// command line; a rank is a place in the order.
class PoolSchedule {
public:
    PoolSchedule(const PoolOptions& options, std::uint64_t seed);

    /// This pool is the first one from now on, whatever it refused or asked for before.
    void prefer(std::size_t pool);
    [[nodiscard]] std::size_t rank_of(std::size_t pool) const;

    /// Begins a round of the pools with ranks 0 to `limit` - 1. Where there is one in use (the limit), those that
    /// refused the login are asked again.
    void begin_round(std::size_t limit);
    /// The round that runs goes on to the last pool.
    void widen_round() { limit_ = pools_.size(); }
    /// The next pool of the round; empty: it is over. Pools that refused the login, and those that asked to be left
    /// alone for now, are left out.
    [[nodiscard]] std::optional<std::size_t> next(SteadyTime now);
    /// A round of all pools found none: how long to wait; empty: no more retries, or every pool refuses the login.
    [[nodiscard]] std::optional<std::chrono::milliseconds> pause_after_round(SteadyTime now);
    /// After a session that was logged in: a moment where it was a long one, so that a pool that closes connections
    /// at once is not hammered.
    [[nodiscard]] std::chrono::milliseconds pause_after_session(bool was_long);

    /// Until the pools with ranks 0 to `limit` - 1 are to be tried while another is in use: `usual`, or sooner where
    /// one of them has named a time.
    [[nodiscard]] std::chrono::milliseconds pause_before_better(std::size_t limit, std::chrono::milliseconds usual,
                                                                SteadyTime now) const;

    /// A connection has ended that never logged in, or was of no use (worked()). A refusal by a pool that has taken
    /// the login before is a failure like any other.
    void failed(std::size_t pool, bool refused, const std::string& sentence);
    /// `with_extensions`: mining.configure and the like were asked for.
    void logged_in(std::size_t pool, bool with_extensions);
    /// The pool gives work that lasts, or has accepted a share: a login alone says little.
    void worked(std::size_t pool);
    /// The pool asked not to be connected to before.
    void postpone(std::size_t pool, SteadyTime until) { pools_[pool].not_before = until; }
    /// It refuses one share after the other: not to be connected to for a minute, each time for twice as long as
    /// before. Returns for how long.
    std::chrono::minutes refuses_shares(std::size_t pool, SteadyTime now);
    void takes_shares(std::size_t pool) { pools_[pool].refusing = 0; }
    /// How this pool's shares are to have their version bits.
    [[nodiscard]] VersionRolling rolling(std::size_t pool) const { return pools_[pool].rolling; }
    /// The pool refused this share for low difficulty, as only a pool does that reads its version bits otherwise.
    /// Returns what is to be tried next; empty: that is being done already, or there is nothing else to try.
    std::optional<VersionRolling> misread(std::size_t pool, const StratumShare& share);
    /// It accepted this one.
    void accepted(std::size_t pool, const StratumShare& share);
    [[nodiscard]] bool postponed(std::size_t pool, SteadyTime now) const { return pools_[pool].not_before > now; }
    /// The pool has taken a login with extensions: where it closes one, they are not the reason.
    [[nodiscard]] bool takes_extensions(std::size_t pool) const { return pools_[pool].takes_extensions; }
    /// The pool asked to go there (client.reconnect). False: too often without work in between.
    [[nodiscard]] bool redirect(std::size_t pool, const Endpoint& to);
    [[nodiscard]] const Endpoint& url(std::size_t pool) const { return pools_[pool].url; }
    /// Every pool with why it cannot be used, in one sentence.
    [[nodiscard]] std::string sentence() const;

private:
    struct Pool {
        Endpoint url;             ///< where it is now
        Endpoint original;        ///< where the user says it is
        SteadyTime not_before{};  ///< it asked for that
        unsigned refusing = 0;    ///< times in a row that it was left for refusing shares
        unsigned redirects = 0;
        VersionRolling rolling{};
        bool takes_bip323 = false;  ///< has accepted a share with bits that BIP 320 does not have
        bool refused = false;
        bool took_login = false;  ///< once in this run: if it refuses one now, that may pass
        bool takes_extensions = false;
        std::string failure{};
    };
    /// The shortest wait that one of the pools with ranks 0 to `limit` - 1 still asks for; empty: none does.
    [[nodiscard]] std::optional<std::chrono::milliseconds> wait(std::size_t limit, SteadyTime now) const;

    std::vector<Pool> pools_;
    std::vector<std::size_t> order_;  ///< their numbers, by rank
    std::optional<unsigned> retries_;
    Backoff backoff_;
    std::size_t next_ = 0, limit_ = 0;  ///< ranks
    unsigned failed_rounds_ = 0;
};

/// Tells the schedule its findings. Of the connection in use, or the last one.
class PoolJudge {
public:
    /// `schedule` outlives the object.
    explicit PoolJudge(PoolSchedule& schedule) : schedule_(schedule) {}

    /// A connection to this pool comes into use.
    void begin(std::size_t pool);
    /// It has had a job for long enough, or a share was accepted: a login alone proves little.
    void has_worked();
    [[nodiscard]] bool worked() const { return worked_; }

    struct Misreading {
        VersionRolling rolling;  ///< to be tried from now on
        std::string sentence;
    };
    /// Each share was checked before it was sent: a hash above the target is that of another header, most likely of
    /// another version.
    [[nodiscard]] std::optional<Misreading> find_misreading(const StratumShare& share, const ShareReply& reply);
    /// Why the connection is to end: a pool that refuses one share after the other is left for a while.
    [[nodiscard]] std::optional<std::string> count_refusal(const ShareReply& reply, SteadyTime now);

private:
    PoolSchedule& schedule_;
    std::size_t pool_ = 0;
    bool worked_ = false;
    unsigned refusals_ = 0;  // since the last share that was accepted
};

}  // namespace gpuminer::net
