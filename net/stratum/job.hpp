// A pool's job: from mining.notify and the session's extranonce to headers, and from a hit to a share.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/search/mining_job.hpp"

namespace gpuminer::net {

using SteadyTime = std::chrono::steady_clock::time_point;
using SteadyClock = std::function<SteadyTime()>;
using Bytes = std::vector<std::uint8_t>;

/// The target of a pool's difficulty, as target_from_difficulty(), but every positive number has one: at least 1, at
/// most 2^256-1. Empty for zero, negative numbers and what is not finite.
[[nodiscard]] std::optional<Hash256> share_target(double difficulty);

/// The parameters of mining.notify.
struct StratumNotify {
    std::string id;
    std::array<std::uint8_t, 32> previous_hash{};        ///< internal order, as in the header
    Bytes coinbase1, coinbase2;                          ///< around extranonce1 and extranonce2
    std::vector<std::array<std::uint8_t, 32>> branches;  ///< internal order, from the leaves up
    std::uint32_t version = 0;
    std::uint32_t nbits = 0;
    std::uint32_t time = 0;
    bool clean = false;

    /// The same headers come from both: all but the id and the clean flag is equal.
    [[nodiscard]] bool same_work(const StratumNotify& other) const;
};
/// Throws ProtocolError naming the parameter that is wrong.
[[nodiscard]] StratumNotify parse_notify(const nlohmann::json& params);

/// What the session adds to a notification.
struct JobParameters {
    Bytes extranonce1;               ///< 0 to 16 bytes
    unsigned extranonce2_size = 0;   ///< bytes, 1 to 8
    double difficulty = 1;           ///< positive and finite
    std::uint32_t version_mask = 0;  ///< as the pool granted it; 0: no version rolling
    /// Extranonce2 of header 0; the next ones count up from it, modulo their number.
    std::uint64_t first_extranonce2 = 0;
    SteadyTime received{};
    SteadyClock clock;  ///< for the job's age; called by any thread. Empty: the job never grows old

    /// Of the same work, the same headers come from both.
    [[nodiscard]] bool same_space(const JobParameters& other) const {
        return extranonce1 == other.extranonce1 && extranonce2_size == other.extranonce2_size &&
               first_extranonce2 == other.first_extranonce2;
    }
};

/// A share as it goes over the wire and into the journal.
struct StratumShare {
    std::string job_id;
    std::string extranonce2;  ///< hex
    std::uint32_t time = 0;   ///< of the header that was hashed
    std::uint32_t nonce = 0;
    std::uint32_t version_bits = 0;  ///< header XOR job version
    std::string extranonce1;         ///< hex; tells whether the share belongs to a (resumed) session
    Hash256 hash;
    double difficulty = 0;      ///< that the job asked for
    bool solves_block = false;  ///< its hash meets the target of the header's own nBits
};

/// Where a coinbase's money goes.
struct CoinbaseOutput {
    std::uint64_t value = 0;  ///< satoshi
    Bytes script;             ///< scriptPubKey
};

class StratumJob : public MiningJob {
public:
    /// `continues`: an earlier job of the same work and extranonce (StratumNotify::same_work()), or null. The new job
    /// leaves out the headers that were made from that one, so that nothing is searched twice. Throws ProtocolError
    /// (nBits that are no target) or std::invalid_argument (a setting outside its bounds).
    StratumJob(StratumNotify notify, JobParameters setting, const StratumJob* continues = nullptr);

    /// Extranonce2 is the index (counted from the setting's first one), little-endian. Beyond the last extranonce2, the
    /// time moves on by one second for each round. The time is the pool's as long as the job is at most a minute old,
    /// then as many seconds later as it is old (no two headers are equal as long as they are asked for in ascending
    /// order).
    [[nodiscard]] BlockHeader header(std::uint64_t index) const override;
    [[nodiscard]] Hash256 target() const override { return target_; }
    /// Bits of the pool's mask that BIP 320 gives to miners and that are zero in the job's version.
    [[nodiscard]] std::uint32_t version_mask() const override { return version_mask_; }

    [[nodiscard]] const std::string& id() const { return notify_.id; }
    [[nodiscard]] bool clean() const { return notify_.clean; }  ///< shares of older jobs are stale
    [[nodiscard]] const StratumNotify& notify() const { return notify_; }
    [[nodiscard]] const JobParameters& setting() const { return setting_; }
    [[nodiscard]] double difficulty() const { return setting_.difficulty; }
    [[nodiscard]] SteadyTime received() const { return setting_.received; }
    [[nodiscard]] Hash256 block_target() const { return block_target_; }  ///< from nBits
    [[nodiscard]] std::string extranonce1() const;                        ///< hex
    [[nodiscard]] std::string extranonce2(std::uint64_t index) const;     ///< hex, of header number `index`

    /// `found.job` is this job.
    [[nodiscard]] StratumShare share(const JobHit& found) const;
    /// BIP 34: the height that the coinbase begins with. Empty where it cannot be read.
    [[nodiscard]] std::optional<std::uint64_t> height() const;
    /// Outputs of the coinbase, in order. Empty where it cannot be read (a pool may send anything).
    [[nodiscard]] std::vector<CoinbaseOutput> coinbase_outputs() const;
    /// "1.5 BTC of 3.125 BTC" where the coinbase pays `script` (a scriptPubKey) something; empty where it does not.
    [[nodiscard]] std::string payment_to(std::span<const std::uint8_t> script) const;

private:
    [[nodiscard]] std::array<std::uint8_t, 8> extranonce2_bytes(std::uint64_t number) const;
    [[nodiscard]] std::array<std::uint8_t, 32> merkle_root(std::uint64_t number) const;
    [[nodiscard]] BlockHeader header_with_root(std::uint64_t number, const std::array<std::uint8_t, 32>& root) const;
    [[nodiscard]] std::uint32_t seconds_later() const;
    [[nodiscard]] Bytes coinbase(std::uint64_t number) const;  // the whole transaction, as hashed

    struct Prefix;  // SHA-256 after the part of the coinbase that no extranonce2 changes

    StratumNotify notify_;
    JobParameters setting_;
    Hash256 target_;
    Hash256 block_target_;
    std::uint32_t version_mask_ = 0;
    BlockHeader base_;  // all but the merkle root
    std::shared_ptr<const Prefix> prefix_;
    SteadyTime aged_from_{};   // when this work came for the first time
    std::uint64_t first_ = 0;  // the work's number of this job's header 0
    // Headers made so far of this work, by this job and those before it.
    std::shared_ptr<std::atomic<std::uint64_t>> made_;
};

/// The works that a pool gave lately: one that comes again (under another id, after others, on another connection) goes
/// on where it was, so that no header is searched twice. On one thread.
class RecentWork {
public:
    /// `first_extranonce2`: of header 0 of each of them; a random number keeps runs of the program apart.
    explicit RecentWork(std::uint64_t first_extranonce2 = 0) : first_extranonce2_(first_extranonce2) {}

    [[nodiscard]] std::uint64_t first_extranonce2() const { return first_extranonce2_; }
    /// The latest job of this work and extranonce; null: none is known.
    [[nodiscard]] std::shared_ptr<const StratumJob> find(const StratumNotify& notify,
                                                         const JobParameters& setting) const;
    void add(std::shared_ptr<const StratumJob> job);

private:
    static constexpr std::size_t kMost = 8;

    const std::uint64_t first_extranonce2_;
    std::deque<std::shared_ptr<const StratumJob>> jobs_;  // one of each work, the latest last
};

}  // namespace gpuminer::net
