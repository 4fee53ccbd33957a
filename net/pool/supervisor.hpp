// Keeps a session with the best pool that can be had, and passes its jobs on. On the loop's thread alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "net/pool/connection.hpp"
#include "net/pool/messages.hpp"
#include "net/pool/schedule.hpp"
#include "net/pool/share_submitter.hpp"
#include "net/pool/stats.hpp"

namespace gpuminer::net {

class PoolSupervisor : public PoolConnectionOwner {
public:
    /// References outlive the object. `changed` is called when idle() may have become true. Throws InputError for a
    /// certificate file that cannot be used.
    PoolSupervisor(EventLoop& loop, const PoolOptions& options, const WorkCallbacks& callbacks,
                   const PoolTiming& timing, Journal& journal, PoolStats& stats, std::function<void()> changed);

    void start();
    void take(const JobHit& found);
    /// No more jobs and no more connections; replies are still taken.
    void finish();
    /// Nothing waits for a reply that could come.
    [[nodiscard]] bool idle();
    void say(Severity severity, const std::string& sentence) override;

private:
    void subscribed(PoolConnection& session, const Subscription& subscription) override;
    void logged_in(PoolConnection& session) override;
    void new_job(PoolConnection& session, std::shared_ptr<const StratumJob> job) override;
    void answered(PoolConnection& session, std::uint64_t request, const ShareReply& answer) override;
    bool reconnect(PoolConnection& session, const std::string& host, std::uint16_t port,
                   std::chrono::seconds wait) override;
    void ended(PoolConnection& session, bool refused, const std::string& sentence) override;

    void wait_for_rate(SteadyTime since);
    void begin_round();
    void try_next();
    void connect_after(std::chrono::milliseconds pause);
    void connect(std::size_t pool);
    void current_lost(std::size_t pool, bool was_long, bool redirected, const std::string& sentence);
    void candidate_failed(std::size_t pool, bool refused, bool redirected, const std::string& sentence);
    /// The candidate becomes the session in use.
    void take_over();
    /// Whether the current session is of use yet: a login alone says little about a pool.
    void judge_current(bool accepted);
    /// Those before the one in use have another chance in a while.
    void look_for_better();
    void retire();
    void tick();
    [[nodiscard]] double hash_rate() const;
    std::optional<double> suggestion();
    /// A pool that refuses one share after the other is left for a while.
    void count_refusal(PoolConnection& session, const ShareReply& answer);
    /// The end that was asked for. What is under way may still be answered.
    void have_enough();
    /// May be called from within a session, which outlives the call.
    void end(Outcome outcome, const std::string& sentence);

    EventLoop& loop_;
    const PoolOptions& options_;
    const WorkCallbacks& callbacks_;
    const PoolTiming timing_;
    PoolStats& stats_;
    std::function<void()> changed_;
    ShareSubmitter shares_;
    JobMessages messages_;
    std::mt19937_64 random_;
    std::vector<std::shared_ptr<RecentWork>> works_;  // of each pool
    PoolSchedule schedule_;
    std::unique_ptr<PoolConnection> current_;    // logged in, gives the jobs
    std::unique_ptr<PoolConnection> candidate_;  // on its way to a login
    std::unique_ptr<PoolConnection> retiring_;   // replaced by one with a better pool
    Timer retry_, better_, retirement_, ticker_;
    std::uint64_t connections_ = 0;
    const PoolConnection* redirected_ = nullptr;  // the one that ends because its pool asked to connect again
    bool without_extensions_ = false;             // the next candidate is to do without BIP 310
    bool finishing_ = false;
    bool enough_ = false;
    bool over_ = false;

    bool worked_ = false;    // the current session, or the last one
    unsigned refusals_ = 0;  // of the current session's shares, since the last one that was accepted
    double suggested_rate_ = 0;
    SteadyTime suggested_at_{};
};

}  // namespace gpuminer::net
