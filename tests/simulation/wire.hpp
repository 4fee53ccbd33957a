// A simulated connection between the client and a pool. Messages take their time, and are cut off anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

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
    void send(std::string message);  ///< a line with its end, or a frame
    void close();
    [[nodiscard]] bool client_open() const { return client_open_; }
    /// Ids of the jobs that the client may search: told on this connection since the last clean one.
    [[nodiscard]] bool knows_job(const std::string& job) const { return known_jobs_.contains(job); }

    // The pool's end. Messages are lines without their end, or frames.
    void reply(std::string message);
    void send_bytes(std::string bytes);
    void notify(std::string message, const std::string& job, bool clean);
    /// Of these shares: when it has come, each of them is to be settled.
    void answer(std::string message, std::vector<std::uint32_t> nonces);
    [[nodiscard]] bool open() const { return pool_open_; }
    /// What it has sent still arrives.
    void hang_up();
    /// Both ends are cut off; what is on its way is lost.
    void cut();
    /// As cut(), but the client is told nothing.
    void fall_silent();

    PoolSide side;  ///< what the pool remembers of it

private:
    [[nodiscard]] std::string shown(const std::string& bytes) const;
    [[nodiscard]] std::string ended(std::string message) const;
    void deliver(
        std::string bytes, std::function<void()> before = [] {}, std::function<void()> after = [] {});
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
