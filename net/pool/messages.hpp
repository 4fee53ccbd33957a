// Messages for the user about a pool and its jobs, and the limit of their rate: a pool may cause any number of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "host/block/hash256.hpp"
#include "host/notices.hpp"
#include "net/steady_time.hpp"
#include "net/stratum/job.hpp"
#include "net/token_bucket.hpp"

namespace gpuminer::net {

/// Seconds per share that are to be expected; empty: the rate is not known.
[[nodiscard]] std::optional<double> share_seconds(const StratumJob& job, double hash_rate);
/// "difficulty 0.07, a share every 7.6 s at 39.80 MH/s"
[[nodiscard]] std::string difficulty_text(const StratumJob& job, double hash_rate);
/// "24 version bits are rolled"; empty: none are, as is usual.
[[nodiscard]] std::string version_text(const StratumJob& job);
/// Where a user asks for another difficulty, for messages. `suggests`: gpuminer can ask the pool for one.
[[nodiscard]] const char* where_to_ask(bool suggests);
/// Where shares are more than an hour apart: what that means and what to do about it; else empty.
/// `suggests`: as above.
[[nodiscard]] std::string long_wait_text(const StratumJob& job, double hash_rate, bool suggests);
/// Where the user name (up to the first '.') is an address: whether the coinbase pays it; else empty.
[[nodiscard]] std::string payment_text(const StratumJob& job, const std::string& user);

/// Whether the coinbase follows BIP 54; empty where that cannot be told.
[[nodiscard]] std::string bip54_text(const StratumJob& job);
/// Where the user name is meant as an address and is none, or is one of another network than the job's seems to be: a
/// sentence; else empty.
[[nodiscard]] std::string address_warning(const StratumJob& job, const std::string& user);

/// At the first job of a session all that matters, later what changes.
class JobMessages {
public:
    using Say = std::function<void(Severity, const std::string&)>;
    /// `suggests`: as for where_to_ask().
    JobMessages(Say say, bool suggests) : say_(std::move(say)), suggests_(suggests) {}
    void new_session() {
        greeted_ = false;
        difficulties_.clear();
    }
    void job(const std::string& pool, const std::string& user, const StratumJob& job, double hash_rate);

private:
    const Say say_;
    const bool suggests_;
    bool greeted_ = false;
    double difficulty_ = 0;                         // of the last job
    std::map<std::uint32_t, double> difficulties_;  // by channel
    Digest previous_hash_{};
};

/// Rate-limits messages per severity: a burst, then so many per second. The next message let through is preceded by the
/// number of suppressed ones.
class MessageLimit {
public:
    using Say = std::function<void(Severity, std::string)>;
    MessageLimit(double most, double per_second, Say say)
        : say_(std::move(say)), debug_{{most, per_second}}, info_{{most, per_second}}, warning_{{most, per_second}} {}

    void say(Severity severity, const std::string& sentence, SteadyTime now);

private:
    struct Lane {
        TokenBucket bucket;
        std::uint64_t left_out = 0;  // since the last that passed
    };
    const Say say_;
    Lane debug_, info_, warning_;
};

}  // namespace gpuminer::net
