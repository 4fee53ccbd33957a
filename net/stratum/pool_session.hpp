// One connection's session with a pool, of whatever protocol, as pure logic: bytes and ticks in, events out as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "net/steady_time.hpp"
#include "net/stratum/events.hpp"

namespace gpuminer::net {

/// Whether a share is sent, or why it is not.
enum class SubmitDecision {
    kSend,
    kStale,      ///< a clean job came after the share's
    kDuplicate,  ///< the same header was sent before on this connection
    kTooEasy,    ///< the pool has shown that it wants a higher difficulty for the job by now
    kNotYet,     ///< not logged in: to be tried again after LoggedIn
};

struct SubmitRequest {
    std::uint64_t id = 0;  ///< ShareReplied::request of the reply
    std::string bytes;     ///< to be sent to the pool
};

/// No socket, no thread. Times never go back.
class PoolSession {
public:
    virtual ~PoolSession() = default;
    PoolSession() = default;
    PoolSession(const PoolSession&) = delete;
    PoolSession& operator=(const PoolSession&) = delete;

    [[nodiscard]] virtual StratumEvents start(SteadyTime now) = 0;  ///< once, when there is a connection
    /// Cuts the pool's next message off the front of the bytes that came, and the ones before it that say nothing.
    /// Empty where no whole message is there, and after the session's end. A message that is too long ends the session,
    /// so that `received`, to which the caller only appends, has bounds.
    [[nodiscard]] virtual std::optional<StratumEvents> next(std::string& received, SteadyTime now) = 0;
    [[nodiscard]] virtual StratumEvents tick(SteadyTime now) = 0;  ///< about once a second, for time limits
    /// Sent to the pool where it changes by more than a tenth (or `again`) and once logged in. Ignored where not
    /// positive and finite.
    [[nodiscard]] virtual StratumEvents set_suggested_difficulty(double difficulty, SteadyTime now,
                                                                 bool again = false) = 0;
    /// For jobs from now on, and for the current one, which becomes another: current_job(), of which no event tells.
    virtual void set_rolling(VersionRolling rolling, SteadyTime now) = 0;

    /// `again`: the share was submitted on an earlier connection of the same session, whose jobs this one does not
    /// know: it goes out without them. A share that solves a block goes out in any case.
    [[nodiscard]] virtual SubmitDecision assess(const StratumShare& share, bool again = false) const = 0;
    /// Empty where assess() says anything but kSend. No share is sent twice.
    [[nodiscard]] virtual std::optional<SubmitRequest> submit(const StratumShare& share, SteadyTime now,
                                                              bool again = false) = 0;

    /// What is to be sent before this side closes the connection: nothing but Send. Nothing follows it.
    [[nodiscard]] virtual StratumEvents farewell() { return {}; }

    [[nodiscard]] virtual bool ready() const = 0;                                     ///< shares can be submitted
    [[nodiscard]] virtual std::shared_ptr<const StratumJob> current_job() const = 0;  ///< may be null
    [[nodiscard]] virtual std::size_t in_flight() const = 0;  ///< shares to which it owes a reply
    /// False: in batches, at times that only the pool knows.
    [[nodiscard]] virtual bool answers_each_share() const { return true; }
    /// The pool's reason for refusing the last suggested difficulty; empty: it did not.
    [[nodiscard]] virtual std::string suggestion_refusal() const = 0;
};

}  // namespace gpuminer::net
