// The output of a Stratum session: what it sends and says, as events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "net/steady_time.hpp"
#include "net/stratum/events.hpp"

namespace gpuminer::net {

class StratumOutput {
public:
    /// A function of the session begins.
    void begin(SteadyTime now) { now_ = now; }
    [[nodiscard]] SteadyTime now() const { return now_; }
    /// The events since the last call.
    [[nodiscard]] StratumEvents take();

    void add(StratumEvent event) { events_.push_back(std::move(event)); }
    /// Ten a session at most.
    void warn(std::string sentence);
    // The end of the session: its last event, of which only the first counts.
    void refuse(std::string sentence);
    void fail(std::string sentence);
    [[nodiscard]] bool over() const { return over_; }

    /// Of the next request.
    [[nodiscard]] std::uint64_t next_id() const { return next_id_; }
    /// The request's line, for the caller to send.
    [[nodiscard]] std::string make_request(std::string_view method, const nlohmann::json& params);
    /// Sends it. Returns its id.
    std::uint64_t request(std::string_view method, const nlohmann::json& params);
    /// When a request was made last, or note_sent() was called.
    [[nodiscard]] SteadyTime last_sent() const { return last_sent_; }
    void note_sent() { last_sent_ = now_; }

private:
    StratumEvents events_;
    SteadyTime now_{};
    bool over_ = false;
    unsigned warnings_ = 0;
    std::uint64_t next_id_ = 1;
    SteadyTime last_sent_{};
};

}  // namespace gpuminer::net
