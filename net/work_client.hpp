// WorkClient: the interface of the clients that fetch work from servers and deliver hits. A client has threads of its
// own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/notices.hpp"
#include "host/search/mining_job.hpp"
#include "net/json_box.hpp"
#include "net/submit_verdict.hpp"

namespace gpuminer::net {

/// How a client's work ends by itself.
enum class Outcome {
    kEnough,    ///< --shares or --blocks is reached
    kRefused,   ///< no server takes the login, or none is reachable and the retries are used up (exit code 6)
    kBadInput,  ///< what the user gave does not fit the server: an address of another network, … (exit code 1)
};

/// A share or a block with its server's answer.
struct AnsweredFind {
    bool is_block = false;        ///< it solves one
    std::string verdict;          ///< "accepted", "rejected", "stale"
    std::string hash;             ///< 64 hex digits, display order
    double difficulty = 0;        ///< of the target it was found for
    double share_difficulty = 0;  ///< of its hash
    std::optional<double> latency_ms;
    std::string server;
    std::string reason;  ///< in the server's words; empty: accepted
};

/// What a client calls; from any of its threads, and to return at once.
struct WorkCallbacks {
    /// From now on this is to be searched; null: nothing (no connection). Older jobs are dropped.
    std::function<void(std::shared_ptr<const MiningJob>)> new_job;
    /// A line for the user.
    std::function<void(Severity, std::string)> say;
    /// A share or a block is answered.
    std::function<void(const AnsweredFind&)> answered = {};
    /// Hashes per second that the devices do; 0: not known yet.
    std::function<double()> hash_rate;
    /// Whether a stop is requested: what a client waits for while it is made is not waited for any longer.
    std::function<bool()> stopped = {};
    /// Called once, when there is nothing more to be done. `sentence`: why, for the user; empty with kEnough.
    std::function<void(Outcome, std::string sentence)> over;
};

/// For the progress line and the summary. Counts are since the start.
struct WorkStatus {
    bool connected = false;         ///< and logged in, with a job to do
    bool logged_in = false;         ///< with or without a job (pool)
    bool unreadable = false;        ///< then without one, as the last could not be read
    std::string server;             ///< the current or last one, as the user wrote it, without a password
    double difficulty = 0;          ///< of the current job's target; 0: no job yet
    double network_difficulty = 0;  ///< of the current job's nBits; 0: no job yet
    std::uint64_t accepted = 0;     ///< shares (pool) or blocks (solo)
    std::uint64_t rejected = 0;
    std::uint64_t stale = 0;           ///< found too late: not sent, or refused as such
    std::uint64_t unanswered = 0;      ///< sent, with no reply yet
    std::uint64_t blocks = 0;          ///< that a node has on its chain, as far as the client can tell
    double accepted_difficulty = 0;    ///< sum over accepted shares; times 2^32 = hashes that they stand for
    std::optional<double> latency_ms;  ///< median of the last server's replies to shares
    std::map<std::string, std::uint64_t> reject_reasons;  ///< in the server's words
    RefusalCounts refusals;                               ///< the same, by their kind
    JsonBox details;  ///< an object: what else the document of `--json` is to say (coinbase, session, …)
};

class WorkClient {
public:
    virtual ~WorkClient() = default;  ///< joins its own thread only
    WorkClient() = default;
    WorkClient(const WorkClient&) = delete;
    WorkClient& operator=(const WorkClient&) = delete;

    // From any thread:
    /// To be checked, journalled and delivered. Returns at once.
    virtual void found(const JobHit& found) = 0;
    [[nodiscard]] virtual WorkStatus status() const = 0;
    /// Of several pools, the one with this number (from 0, as the user named them) is the first choice from now on.
    /// False: there is none.
    virtual bool use_pool(std::size_t /*number*/) { return false; }
    /// No more jobs. Waits until replies have come for what is in flight, but not longer than `patience`; true: they
    /// have. May be called again, to wait longer.
    virtual bool finish(std::chrono::milliseconds patience) = 0;
    /// Ends the client's threads, which it waits for. Returns the last status, which agrees with the journal.
    virtual WorkStatus end() = 0;
};

}  // namespace gpuminer::net
