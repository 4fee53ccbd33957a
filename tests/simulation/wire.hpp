// A simulated connection between the client and a pool. Lines take their time, and are cut off anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "net/transport/connection.hpp"
#include "tests/simulation/pool_model.hpp"
#include "tests/simulation/share_watcher.hpp"

namespace gpuminer::simulation {

class PoolWorld;

class Wire : public std::enable_shared_from_this<Wire> {
public:
    /// `tls`: the client speaks it.
    Wire(PoolWorld& world, PoolModel& pool, bool tls, net::ConnectionEvents events);

    [[nodiscard]] ConnectionId id() const { return id_; }
    [[nodiscard]] PoolModel& pool() const { return pool_; }

    // The client's end.
    void connect();
    void send(std::string line);  ///< with its end
    void close();
    /// Ids of the jobs that the client has been told of on this connection since the last clean one.
    [[nodiscard]] bool knows_job(const std::string& job) const { return known_jobs_.contains(job); }

    // The pool's end.
    void reply(std::string line);
    void send_bytes(std::string bytes);
    void notify(std::string line, const std::string& job, bool clean);
    [[nodiscard]] bool open() const { return pool_open_; }
    /// What it has sent still arrives.
    void hang_up();
    /// Both ends are cut off; what is on its way is lost.
    void cut();
    /// As cut(), but the client is told nothing.
    void fall_silent();

    PoolSide side;  ///< what the pool remembers of it

private:
    void deliver(std::string bytes, std::function<void()> also);
    void tell_closed(const std::string& why);
    [[nodiscard]] net::SteadyTime arrival(net::SteadyTime& last);

    PoolWorld& world_;
    PoolModel& pool_;
    const bool tls_;
    net::ConnectionEvents events_;
    const ConnectionId id_;
    bool client_open_ = true;
    bool pool_open_ = false;
    bool lines_lost_ = false;
    std::uint64_t lines_until_cut_ = std::numeric_limits<std::uint64_t>::max();  // both ways
    net::SteadyTime last_up_{}, last_down_{};
    std::set<std::string> known_jobs_;
};

}  // namespace gpuminer::simulation
