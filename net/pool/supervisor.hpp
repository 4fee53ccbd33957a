// The connection in use: from the selection of a pool over its jobs and shares to its end and the next selection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "net/pool/connection.hpp"
#include "net/pool/messages.hpp"
#include "net/pool/schedule.hpp"
#include "net/pool/selector.hpp"
#include "net/pool/share_submitter.hpp"
#include "net/pool/stats.hpp"
#include "net/pool/suggested_difficulty.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/job.hpp"
#include "net/stratum/pool_session.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

/// On the loop's thread alone.
class PoolSupervisor {
public:
    /// References outlive the object. `changed` is called when idle() may have become true. Throws InputError for a
    /// certificate file that cannot be used.
    PoolSupervisor(EventLoop& loop, const PoolOptions& options, const WorkCallbacks& callbacks,
                   const PoolTiming& timing, Journal& journal, PoolStats& stats, std::function<void()> changed);

    void start();
    void take(const JobHit& found);
    /// As WorkClient::use_pool().
    void use_pool(std::size_t pool);
    /// No more jobs and no more connections; replies are still taken.
    void finish();
    /// The journal has written something, or has been opened.
    void journal_changed();
    /// Nothing waits for a reply that could come.
    [[nodiscard]] bool idle();
    void say(Severity severity, const std::string& sentence);

private:
    [[nodiscard]] std::unique_ptr<PoolConnection> connect(std::size_t pool, const Endpoint& url, bool extensions);
    [[nodiscard]] std::unique_ptr<PoolSession> make_v1_session(const JobOrigin& origin, bool extensions);
    [[nodiscard]] std::unique_ptr<PoolSession> make_v2_session(const JobOrigin& origin, const Endpoint& url,
                                                               bool extensions);

    /// What came of one input of a connection. The end of the connection is acted on last, and destroys it; the other
    /// functions do not.
    void handle(PoolConnection& connection, PoolEvents events);
    void logged_in(PoolConnection& connection);
    void new_job(PoolConnection& connection, const std::shared_ptr<const StratumJob>& job);
    /// The last two return a value where the connection is to end.
    std::optional<ConnectionEnded> share_replied(PoolConnection& connection, const ShareReplied& event);
    std::optional<ConnectionEnded> reconnect(const PoolConnection& connection, const ReconnectRequested& request);
    void ended(PoolConnection& connection, const ConnectionEnded& end);
    void current_ended(const ConnectionEnded& end);

    /// The candidate of the selector becomes the connection in use.
    void take_over();
    /// The connection that was replaced has had time for its last replies.
    void retire();
    /// Of a reply on the connection in use. A value where that is to end.
    std::optional<ConnectionEnded> judge_reply(const ShareReply& reply, const std::optional<AnsweredShare>& answered);
    void look_whether_current_has_lasted();
    void tick();
    /// Shares go out when the journal has waited for the disk long enough.
    void watch_disk();
    void ask_for_more_difficulty();
    /// The pool in use closes no connection on being asked for another difficulty.
    [[nodiscard]] bool may_be_asked();
    /// The end that was asked for (--shares, --blocks). Replies to what is in flight may still come.
    void have_enough();
    void end(Outcome outcome, const std::string& sentence);
    [[nodiscard]] double hash_rate() const;
    /// A difficulty that follows from the rate.
    [[nodiscard]] bool suggests_with_rate() const {
        return dialect_.suggests_difficulty && !options_.suggest_difficulty;
    }

    EventLoop& loop_;
    const PoolOptions& options_;
    const StratumDialect& dialect_;
    const WorkCallbacks& callbacks_;
    const PoolTiming timing_;
    Journal& journal_;
    PoolStats& stats_;
    std::function<void()> changed_;
    MessageLimit message_limit_;
    ShareSubmitter shares_;
    JobMessages messages_;
    SuggestedDifficulty suggestion_;
    std::mt19937_64 random_;
    std::vector<std::shared_ptr<RecentWork>> recent_work_;  // of each pool
    PoolSelector selector_;
    PoolJudge judge_;                           // of the current connection's pool, or the last one's
    std::unique_ptr<PoolConnection> current_;   // logged in, gives the jobs
    std::unique_ptr<PoolConnection> retiring_;  // replaced by one with a better pool
    Timer retirement_, ticker_, disk_;
    std::uint64_t connections_ = 0;
    bool finishing_ = false;
    bool enough_ = false;
    bool over_ = false;
};

}  // namespace gpuminer::net
