// Events of a session with a pool, and the shares that go to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/block/hash256.hpp"
#include "host/search/version_space.hpp"
#include "net/submit_verdict.hpp"

namespace gpuminer::net {

/// How version bits are submitted (mining.submit's sixth parameter). Servers compute the header's version from the
/// job's and these in several ways, which differ where the job's version has bits inside the pool's mask.
enum class VersionBits {
    kMasked,   ///< the header's bits inside the mask, as BIP 310 says; suits servers that OR them to the job's, too
    kChanged,  ///< those in which the header differs from the job, for servers that XOR them
    kNone,     ///< none, and no version is rolled
};

/// The version bits that pools are asked for (mining.configure), which all that know version rolling know.
inline constexpr std::uint32_t kAskedVersionBits = kBip320Mask;

/// What a pool's server takes of the version bits that it grants.
struct VersionRolling {
    VersionBits form = VersionBits::kMasked;
    std::uint32_t within = 0xffffffff;  ///< rolled are: all of them, or kAskedVersionBits
};

struct StratumShare {
    std::string job_id;
    std::string extranonce2;  ///< hex
    std::uint32_t time = 0;   ///< of the header that was hashed
    std::uint32_t nonce = 0;
    std::uint32_t version = 0;  ///< of the header, the whole field
    std::uint32_t version_bits = 0;
    VersionBits version_bits_as = VersionBits::kMasked;
    std::string solution;              ///< hex, with its size; empty: the dialect's shares have none
    bool job_has_masked_bits = false;  ///< so that servers may read `version_bits` in different ways
    bool rolls_further_bits = false;   ///< those that pools are not asked for: one may leave them out of the header
    std::string extranonce1;           ///< hex; tells whether the share belongs to a (resumed) session
    Hash256 hash;
    double difficulty = 0;      ///< that the job asked for
    bool solves_block = false;  ///< its hash meets the target of the header's own nBits
    Hash256 previous;           ///< the block before it, in display order, where it solves one
};

struct ShareReply {
    SubmitVerdict verdict = SubmitVerdict::kRejected;
    RefusalKind kind = RefusalKind::kOther;  ///< of a refusal; kLowDifficulty: its hash is above the pool's target
    bool outdated = false;             ///< of low difficulty, by a target that the pool has set since the job came
    std::optional<std::int64_t> code;  ///< of the pool's error: 20 other, 21 stale, 22 duplicate, 23 low difficulty, …
    std::string reason;                ///< printable, "Above target (23)"; empty: accepted
};

class StratumJob;

/// What a pool gave in reply to mining.subscribe.
struct Subscription {
    std::string session;      ///< the id to resume it with; empty: the pool gave none
    std::string extranonce1;  ///< hex
    unsigned extranonce2_size = 0;
    bool resumed = false;  ///< same extranonce1 as before: unanswered shares of before still belong to it
};

/// To be sent to the pool.
struct Send {
    std::string bytes;
};
/// A session begins; comes before LoggedIn.
struct Subscribed {
    Subscription subscription;
};
/// The pool took the login: shares can be submitted from now on.
struct LoggedIn {};
/// The pool refused the subscription or the login. The last event of the session.
struct LoginRefused {
    std::string sentence;
};
/// To be searched from now on (maybe before LoggedIn). Shares of older jobs count until one is clean(). The current job
/// again: it has headers again.
struct NewJob {
    std::shared_ptr<const StratumJob> job;  ///< null: there is nothing to be searched for now
};
/// Of jobs from the next one on.
struct DifficultyChanged {
    double difficulty = 0;  ///< positive and finite
};
/// The reply to a share; may come at any time, also never. At most one for each request.
struct ShareReplied {
    std::uint64_t request = 0;  ///< SubmitRequest::id
    ShareReply reply;
};
/// The pool asks for another connection (client.reconnect), not before `wait` has passed.
struct ReconnectRequested {
    std::string host;              ///< empty: the same as now; else the characters of a name or an address
    std::uint16_t port = 0;        ///< 0: the same as now
    std::chrono::seconds wait{0};  ///< 0 to 3600
};
/// A text of the pool's operator for the user (client.show_message).
struct OperatorMessage {
    std::string text;  ///< printable
};
/// Something that the pool sent was ignored; ten a session at most.
struct Warning {
    std::string sentence;
};
/// What the pool sent, or did not send in time, makes the connection useless. The last event of the session.
struct ProtocolViolation {
    std::string sentence;
    bool of_extensions = false;  ///< a session that asks for fewer of them may do
};

using StratumEvent = std::variant<Send, Subscribed, LoggedIn, LoginRefused, NewJob, DifficultyChanged, ShareReplied,
                                  ReconnectRequested, OperatorMessage, Warning, ProtocolViolation>;
using StratumEvents = std::vector<StratumEvent>;

}  // namespace gpuminer::net
