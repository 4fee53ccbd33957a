// One connection's Stratum V1 session as pure logic: lines in, lines and events out. No socket, no thread, no clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "net/stratum/job.hpp"
#include "net/stratum/message.hpp"
#include "net/stratum/sent.hpp"

namespace gpuminer::net {

struct StratumOptions {
    std::string user;
    std::string password = "x";  ///< sent, and never part of any text for the user
    std::string agent;           ///< "gpuminer/0.1.0"
    std::optional<double> suggest_difficulty;
    bool configure = true;             ///< BIP 310; some servers hang up on it
    bool extranonce_subscribe = true;  ///< the same
    /// From an earlier connection's Subscription, to resume it; empty: a new session.
    std::string resume_session;
    std::optional<std::string> resume_extranonce1;  ///< hex; with this one again the session counts as resumed
    /// Of this pool, for all connections to it; null: of this session alone.
    std::shared_ptr<RecentWork> works;
    SteadyClock clock;  ///< for the age of jobs, called by any thread; empty: they never grow old
};

struct Subscription {
    std::string session;      ///< the id to resume it with; empty: the pool gave none
    std::string extranonce1;  ///< hex
    unsigned extranonce2_size = 0;
    bool resumed = false;  ///< same extranonce1 as before: unanswered shares of before still belong to it
};

/// A pool's reply to a share.
struct ShareReply {
    bool accepted = false;
    bool stale = false;      ///< refused: too late, or the job is unknown
    bool duplicate = false;  ///< refused: the pool has it already
    std::optional<std::int64_t> code;
    std::string reason;  ///< printable, "Above target (23)"; empty: accepted
};

/// What happens in a session. Called from within the session's functions; may call submit() and
/// set_suggested_difficulty(), but must not destroy the session.
class StratumHandler {
public:
    virtual ~StratumHandler() = default;
    StratumHandler() = default;
    StratumHandler(const StratumHandler&) = delete;
    StratumHandler& operator=(const StratumHandler&) = delete;

    virtual void send(std::string line) = 0;  ///< without a newline
    virtual void subscribed(const Subscription& subscription) = 0;
    virtual void logged_in() = 0;  ///< shares can be submitted from now on
    /// The login, or the subscription, is refused; the session is over. One sentence.
    virtual void refused(std::string sentence) = 0;
    /// To be searched from now on (maybe before logged_in()). Shares of older ones count until one is clean().
    virtual void job(std::shared_ptr<const StratumJob> job) = 0;
    virtual void difficulty(double difficulty) = 0;  ///< of jobs from the next one on
    /// `id` as submit() gave it; may come at any time, also never. Each id is answered once at most.
    virtual void share_answered(std::uint64_t id, const ShareReply& answer) = 0;
    /// The pool asks to connect anew: to `host` (empty: the same) and `port` (0: the same), not before `wait`.
    virtual void reconnect(std::string host, std::uint16_t port, std::chrono::seconds wait) = 0;
    virtual void show_message(std::string text) = 0;        ///< printable
    virtual void warning(std::string sentence) = 0;         ///< something was ignored; a few a session at most
    virtual void protocol_error(std::string sentence) = 0;  ///< the session is over, the connection to be dropped
};

enum class Submitted {
    kSent,
    kStale,      ///< not sent: a clean job came after the share's
    kDuplicate,  ///< not sent: the same header was sent before on this connection
    kNotYet,     ///< not sent: not logged in; to be tried again at logged_in()
};

struct Submission {
    Submitted outcome = Submitted::kNotYet;
    std::uint64_t id = 0;  ///< of kSent
};

class StratumSession {
public:
    /// The handler outlives the session.
    StratumSession(StratumOptions options, StratumHandler& handler);

    // Times are those of std::chrono::steady_clock, never going back.
    void start(SteadyTime now);                        ///< once, as soon as there is a connection
    void line(std::string_view line, SteadyTime now);  ///< from the pool, without its newline
    void tick(SteadyTime now);                         ///< about once a second: what has taken too long

    /// What submit() would do with it.
    [[nodiscard]] Submitted assess(const StratumShare& share, bool again = false) const;
    /// Sends it, once on this connection. `again`: it was submitted on an earlier connection of the same session, whose
    /// jobs this one does not know: it goes out without them. A share that solves a block goes out in any case.
    Submission submit(const StratumShare& share, SteadyTime now, bool again = false);
    /// Sent to the pool where it changes by more than a tenth and once logged in. Positive and finite.
    void set_suggested_difficulty(double difficulty);

    [[nodiscard]] bool over() const { return over_; }                   ///< refused() or protocol_error() was called
    [[nodiscard]] bool ready() const { return authorized_ && !over_; }  ///< shares can be submitted
    [[nodiscard]] bool version_rolling() const { return rolling_; }     ///< granted: submits have a sixth parameter
    [[nodiscard]] const std::shared_ptr<const StratumJob>& current_job() const { return job_; }  ///< may be null
    [[nodiscard]] std::size_t unanswered() const { return shares_.size(); }                      ///< shares
    /// What the pool said against the last suggested difficulty; empty: nothing.
    [[nodiscard]] const std::string& suggestion_refusal() const { return suggestion_refusal_; }

private:
    enum class Waiting { kNothing, kConfigure, kSubscribe, kAuthorize, kJob };

    void request(std::string_view method, const nlohmann::json& params);
    void request_and_wait(Waiting for_what, std::chrono::seconds timeout, std::string_view method,
                          const nlohmann::json& params);
    void suggest();
    void nudge();
    void send_configure();
    void send_subscribe();
    void send_authorize();

    void handle_line(std::string_view line);
    void handle_reply(const StratumMessage& message);
    void configured(const StratumMessage& reply);
    void subscribed(const StratumMessage& reply);
    void authorized(const StratumMessage& reply);

    void handle_call(const StratumMessage& message);
    void handle_request(const StratumMessage& message);
    void handle_notify(const nlohmann::json& params);
    void handle_difficulty(const nlohmann::json& params);
    void handle_extranonce(const nlohmann::json& params);
    void handle_version_mask(const nlohmann::json& params);
    void handle_reconnect(const nlohmann::json& params);
    void handle_show_message(const nlohmann::json& params);
    void set_extranonce(const char* where, const nlohmann::json& extranonce1, const nlohmann::json& extranonce2_size);
    /// `difficulty`: empty: the one in force.
    void make_job(StratumNotify notify);
    void set_job(std::shared_ptr<const StratumJob> job);
    void repeat_job(double difficulty);

    void warn(std::string sentence);
    void refuse(std::string sentence);
    void fail(std::string sentence);

    StratumOptions options_;
    StratumHandler& handler_;
    SteadyTime now_{};
    bool over_ = false;
    std::uint64_t next_id_ = 1;
    unsigned warnings_ = 0;

    // Login requests without a reply, by id; and what the session waits for now.
    std::map<std::uint64_t, Waiting> requests_;
    Waiting waiting_ = Waiting::kNothing;
    SteadyTime deadline_{};

    bool subscribed_ = false;
    bool authorized_ = false;
    bool rolling_ = false;
    bool extranonce_granted_ = false;
    std::uint32_t version_mask_ = 0;
    std::optional<double> difficulty_;  // empty: the pool has not said any
    std::optional<double> suggested_;   // last one sent
    std::uint64_t suggestion_ = 0;      // its request
    std::string suggestion_refusal_;
    SteadyTime last_sent_{};
    bool nudged_ = false;
    Bytes extranonce1_;
    unsigned extranonce2_size_ = 0;

    std::shared_ptr<const StratumJob> job_;
    std::optional<StratumNotify> early_;  // came before the reply to subscribe
    std::deque<std::string> valid_jobs_;  // ids since the last clean one
    SentShares sent_;
    std::set<std::uint64_t> shares_;  // ids of submits without a reply
};

}  // namespace gpuminer::net
