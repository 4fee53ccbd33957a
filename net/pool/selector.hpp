// Selection of a pool that accepts the login: rounds over the pools, pauses between them, one attempt at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/pool/connection.hpp"
#include "net/pool/options.hpp"
#include "net/pool/schedule.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

/// Active while no pool is in use, and now and then while a later one than the first is. On the loop's thread.
class PoolSelector {
public:
    struct Functions {
        /// Connects to a pool. `extensions`: ask for BIP 310 and the like. Throws InputError.
        std::function<std::unique_ptr<PoolConnection>(std::size_t pool, const Endpoint& url, bool extensions)> connect;
        /// The devices' rate, for the suggested difficulty, is known or not needed.
        std::function<bool()> rate_known;
        std::function<void(Severity, const std::string&)> say;
        /// Nothing is left to try; the reason.
        std::function<void(Outcome, const std::string&)> give_up;
    };
    /// `options` outlive the object. `seed`: of the pauses' jitter.
    PoolSelector(EventLoop& loop, const PoolOptions& options, const PoolTiming& timing, std::uint64_t seed,
                 Functions functions);

    /// Waits for the rate, then begins the first round.
    void start();
    /// No more attempts; a candidate is dropped.
    void stop();

    /// The user prefers this pool from now on; it is tried at once.
    void prefer(std::size_t pool);

    /// The connection that is on its way to a login, or has it and is not in use yet; may be null.
    [[nodiscard]] const PoolConnection* candidate() const { return candidate_.get(); }
    void candidate_logged_in();
    void candidate_ended(const ConnectionEnded& ended);
    /// It is in use from now on.
    [[nodiscard]] std::unique_ptr<PoolConnection> take_candidate();

    /// client.reconnect, on any connection. False: it is not followed, and the user has been told why. True: the pool
    /// is tried at its new place, once this connection has ended.
    [[nodiscard]] bool redirect(const PoolConnection& connection, const ReconnectRequested& request);
    /// The connection in use has ended and had been of use. `was_long`: so that the next one may begin at once.
    void lost(std::size_t pool, bool was_long);
    /// The connection in use has ended without having been of use.
    void lost_unused(std::size_t pool, const std::string& sentence);

    [[nodiscard]] PoolSchedule& schedule() { return schedule_; }

private:
    /// How many pools are tried before the one in use, or all of them.
    [[nodiscard]] std::size_t pools_before() const;
    void wait_for_rate(SteadyTime since);
    void begin_round();
    void try_next();
    void connect(std::size_t pool);
    void connect_after(std::chrono::milliseconds pause);
    /// The pools before the one in use have another chance in a while.
    void look_for_better();
    void none_in_use();

    const PoolOptions& options_;
    const PoolTiming timing_;
    const Functions functions_;
    PoolSchedule schedule_;
    std::unique_ptr<PoolConnection> candidate_;
    std::optional<std::size_t> in_use_;  // the pool
    bool without_extensions_ = false;    // the next candidate, or the one there is
    bool stopped_ = false;
    Timer retry_, better_;
};

}  // namespace gpuminer::net
