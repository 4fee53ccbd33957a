// A pool's jobs in any dialect: from mining.notify and the session's extranonce to headers, and from a hit to a share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "host/search/mining_job.hpp"
#include "host/text/bytes.hpp"
#include "net/steady_time.hpp"
#include "net/stratum/events.hpp"

namespace gpuminer::net {

/// Parameters of mining.notify.
struct StratumNotify {
    std::string id;
    Digest previous_hash{};  ///< as in the header
    std::uint32_t version = 0;
    std::uint32_t nbits = 0;
    std::uint32_t time = 0;
    bool clean = false;         ///< shares of older jobs are stale
    std::uint32_t channel = 0;  ///< of several that are mined in turn: its number
    // Sentences about what is unusual and has been passed over; empty: nothing.
    std::string odd_flag;
    std::string surplus;  ///< parameters that nobody knows

    virtual ~StratumNotify() = default;
    /// The same headers come from both: all but the id and the clean flag is equal.
    [[nodiscard]] virtual bool same_work(const StratumNotify& other) const = 0;

protected:
    StratumNotify() = default;
    StratumNotify(const StratumNotify&) = default;
    StratumNotify& operator=(const StratumNotify&) = default;

    [[nodiscard]] bool same_fields(const StratumNotify& other) const {
        return previous_hash == other.previous_hash && version == other.version && nbits == other.nbits &&
               time == other.time;
    }
};

/// Each parameter has a name for messages. Functions throw ProtocolError naming the parameter that is wrong.
class NotifyReader {
public:
    /// `params` outlive the object.
    explicit NotifyReader(const nlohmann::json& params) : params_(params) {}

    /// The next parameter, which has this name in messages; null where there is none.
    [[nodiscard]] const nlohmann::json& next(const char* name);
    [[noreturn]] void fail(std::string_view expected) const;

    // Of the parameter that next() gave last.
    [[nodiscard]] const std::string& text(const nlohmann::json& value) const;
    [[nodiscard]] Bytes bytes(const nlohmann::json& value) const;  ///< hex
    [[nodiscard]] Digest hash(const nlohmann::json& value) const;  ///< 64 hex digits, in the order in which they come
    [[nodiscard]] Bytes word(const nlohmann::json& value) const;   ///< 8 hex digits: four bytes
    /// A number: 1 to 8 hex digits, as some pools leave out leading zeros.
    [[nodiscard]] std::uint32_t number(const nlohmann::json& value) const;

    // The next parameter:
    [[nodiscard]] std::string read_id();
    /// Nothing but shares of older jobs depends on it: what cannot be read as false, as 0, "", "0", "no" or "false"
    /// can, counts as true, with a sentence in `oddity` where it is no truth value.
    [[nodiscard]] bool read_clean(std::string& oddity);

    /// After the last one: a sentence about those behind it; empty: there are none.
    [[nodiscard]] std::string surplus() const;

private:
    const nlohmann::json& params_;
    std::size_t at_ = 0;
    const char* name_ = "";
};

/// The target of a pool's difficulty, as target_from_difficulty(), but every positive number has one: at least 1, at
/// most 2^256-1. Empty for zero, negative numbers and what is not finite.
[[nodiscard]] std::optional<Hash256> share_target(double difficulty);

/// The connection that a job came from, numbered by the owner of the sessions.
struct JobOrigin {
    std::size_t pool = 0;
    std::uint64_t connection = 0;
};

/// What the session adds to a notification.
struct JobParameters {
    JobOrigin origin;
    Bytes extranonce1;
    unsigned extranonce2_size = 0;   ///< bytes; the dialect has bounds for both
    double difficulty = 1;           ///< positive and finite
    std::optional<Hash256> target;   ///< of a pool that sets one in place of a difficulty; else the difficulty's
    std::uint32_t version_mask = 0;  ///< as the pool granted it; 0: no version rolling
    VersionRolling rolling;
    /// Stratum V2's rules: the time of a header is never ahead of the pool's clock, which is the job's time and age; a
    /// share has the whole version.
    bool v2 = false;
    /// Extranonce2 of header 0, of which it may be longer or shorter; the next ones count up from it.
    std::uint64_t first_extranonce2 = 0;
    SteadyTime received{};
    SteadyClock clock;  ///< for the job's age; called by any thread. Empty: the job never grows old

    /// Of a few headers a second at most, as only the time tells them apart.
    [[nodiscard]] bool bound_to_clock() const { return v2 && extranonce2_size < 4; }
    /// Of the same work, the same headers come from both.
    [[nodiscard]] bool same_space(const JobParameters& other) const {
        return extranonce1 == other.extranonce1 && extranonce2_size == other.extranonce2_size &&
               first_extranonce2 == other.first_extranonce2;
    }
};

class StratumJob : public MiningJob {
public:
    /// Extranonce2 is the index (counted from the parameters' first one), little-endian, in its first eight bytes.
    [[nodiscard]] BlockHeader header(std::uint64_t index) const final;
    [[nodiscard]] bool has_header(std::uint64_t index) const final;
    [[nodiscard]] Hash256 target() const final { return target_; }
    /// Bits of the pool's mask that BIP 323 gives to miners and that are zero in the job's version.
    [[nodiscard]] std::uint32_t version_mask() const final { return version_mask_; }

    [[nodiscard]] const std::string& id() const { return notify().id; }
    [[nodiscard]] const StratumNotify& notify() const { return *notify_; }
    [[nodiscard]] const std::shared_ptr<const StratumNotify>& shared_notify() const { return notify_; }
    [[nodiscard]] const JobParameters& parameters() const { return parameters_; }
    [[nodiscard]] const JobOrigin& origin() const { return parameters_.origin; }
    [[nodiscard]] double difficulty() const { return parameters_.difficulty; }
    [[nodiscard]] SteadyTime received() const { return parameters_.received; }
    [[nodiscard]] Hash256 block_target() const { return block_target_; }  ///< from nBits
    /// has_header() has said no: devices wait for the job to be handed out once more.
    [[nodiscard]] bool has_run_out() const { return ran_out_; }
    /// It has run out, and has headers for a while again. Says so once.
    [[nodiscard]] bool goes_on() const;
    [[nodiscard]] std::string extranonce1() const;                     ///< hex
    [[nodiscard]] std::string extranonce2(std::uint64_t index) const;  ///< hex, of header number `index`

    /// `found.job` is this job.
    [[nodiscard]] StratumShare share(const JobHit& found) const;
    /// The coinbase transaction of header `index` as it is hashed, without witness. A pool may have sent anything.
    /// Empty: in this dialect pools keep it to themselves.
    [[nodiscard]] Bytes coinbase(std::uint64_t index) const { return coinbase_of(first_ + index); }

protected:
    /// `continues`: an earlier job of the same work and extranonce (StratumNotify::same_work()), or null. The new job
    /// leaves out the headers that were made from that one, so that nothing is searched twice. Throws ProtocolError
    /// (nBits that are no target) or std::invalid_argument (a parameter outside its bounds).
    StratumJob(std::shared_ptr<const StratumNotify> notify, JobParameters parameters, const StratumJob* continues);

    /// How long ago this work came for the first time.
    [[nodiscard]] std::chrono::seconds age() const;

    // `number`: the header's, counted over all jobs of the same work.

    [[nodiscard]] virtual BlockHeader make_header(std::uint64_t number) const = 0;
    [[nodiscard]] virtual bool is_due(std::uint64_t /*number*/) const { return true; }
    [[nodiscard]] virtual Bytes extranonce2_of(std::uint64_t number) const = 0;
    [[nodiscard]] virtual Bytes coinbase_of(std::uint64_t /*number*/) const { return {}; }
    /// Adds what only this dialect's shares have.
    virtual void complete(StratumShare& /*share*/, const BlockHeader& /*found*/) const {}

private:
    const std::shared_ptr<const StratumNotify> notify_;
    JobParameters parameters_;
    Hash256 target_;
    Hash256 block_target_;
    std::uint32_t version_mask_ = 0;
    SteadyTime aged_from_{};   // when this work came for the first time
    std::uint64_t first_ = 0;  // the work's number of this job's header 0
    // Headers made so far of this work, by this job and those before it.
    std::shared_ptr<std::atomic<std::uint64_t>> made_;
    mutable std::atomic<bool> ran_out_ = false;
};

/// The jobs that a pool gave lately, so that no header is searched twice. Work that comes again (under another id,
/// after others, on another connection) goes on where it was. On one thread.
class RecentWork {
public:
    /// `first_extranonce2`: of header 0 of each of them; a random number keeps runs of the program apart.
    explicit RecentWork(std::uint64_t first_extranonce2 = 0) : first_extranonce2_(first_extranonce2) {}

    [[nodiscard]] std::uint64_t first_extranonce2() const { return first_extranonce2_; }
    /// The latest job of this work and extranonce; null: none is known.
    [[nodiscard]] std::shared_ptr<const StratumJob> find(const StratumNotify& notify,
                                                         const JobParameters& parameters) const;
    void add(std::shared_ptr<const StratumJob> job);

private:
    static constexpr std::size_t kMost = 8;

    const std::uint64_t first_extranonce2_;
    std::deque<std::shared_ptr<const StratumJob>> jobs_;  // one of each work, the latest last
};

}  // namespace gpuminer::net
