#include "tests/simulation/wire.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/sv2_frames.hpp"

namespace gpuminer::simulation {

using std::chrono::milliseconds;

Wire::Wire(PoolWorld& world, PoolModel& pool, bool tls, net::ConnectionEvents events)
    : world_(world), pool_(pool), tls_(tls), events_(std::move(events)), id_{world.run, ++world.connections} {
    if (!world_.calm && world_.random.one_in(2)) lines_until_cut_ = world_.random.spread(1, world_.lines_until_cut);
}

void Wire::connect() {
    ++world_.tally["connections"];
    const bool unreachable = !world_.calm && world_.random.one_in(20);
    const auto time =
        unreachable ? std::chrono::seconds(10) : some_time(world_.random, milliseconds(1), milliseconds(200));
    world_.time.after(time, [self = shared_from_this(), unreachable] {
        if (!self->client_open_) return;
        if (unreachable || !self->pool_.up()) return self->tell_closed("the pool cannot be reached");
        if (!self->world_.calm && self->world_.random.one_in(30))
            return self->tell_closed("the pool closed the connection");
        self->pool_open_ = true;
        self->pool_.connected(self);
        const bool understood = self->tls_ == self->pool_.tls();
        if (self->tls_) self->events_.accepted();
        if (!self->tls_ || understood) self->events_.connected();
        if (!understood) self->hang_up();
    });
}

void Wire::send(std::string bytes) {
    nlohmann::json message = pool_.v2() ? read_client_frame(bytes) : nlohmann::json::parse(bytes);
    if (!pool_.v2()) bytes.pop_back();
    world_.trace(fmt::format("{} > {}", id_.number, pool_.v2() ? message.dump() : bytes));
    if (message.value("method", "") == "mining.submit") {
        world_.shares.sent(*this, message["params"]);
    }
    if (lines_lost_) return;
    if (--lines_until_cut_ == 0) return cut();
    world_.time.at(arrival(last_up_), [self = shared_from_this(), message = std::move(message)] {
        if (self->pool_open_) self->pool_.take(self, message);
    });
}

void Wire::close() {
    if (!std::exchange(client_open_, false)) return;
    world_.time.at(arrival(last_up_), [self = shared_from_this()] {
        if (std::exchange(self->pool_open_, false)) self->pool_.closed(*self);
    });
}

std::string Wire::shown(const std::string& bytes) const {
    return pool_.v2() ? to_hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}) : bytes;
}

std::string Wire::ended(std::string message) const { return pool_.v2() ? message : std::move(message) + "\n"; }

void Wire::reply(std::string message) { deliver(ended(std::move(message))); }

void Wire::send_bytes(std::string bytes) { deliver(std::move(bytes)); }

void Wire::notify(std::string message, const std::string& job, bool clean) {
    deliver(ended(std::move(message)), [this, job, clean] {
        if (clean) known_jobs_.clear();
        known_jobs_.insert(job);
    });
}

void Wire::answer(std::string message, std::vector<std::uint32_t> nonces) {
    deliver(
        ended(std::move(message)), [] {}, [this, nonces = std::move(nonces)] { world_.shares.told(nonces); });
}

void Wire::deliver(std::string bytes, std::function<void()> before, std::function<void()> after) {
    if (!pool_open_ || lines_lost_) return;
    world_.trace(fmt::format("{} pool sends {}", id_.number, shown(bytes)));
    if (--lines_until_cut_ == 0) return cut();
    world_.time.at(arrival(last_down_), [self = shared_from_this(), bytes = std::move(bytes),
                                         before = std::move(before), after = std::move(after)] {
        if (!self->client_open_ || self->lines_lost_) return;
        self->world_.trace(fmt::format("{} < {}", self->id_.number, self->shown(bytes)));
        before();
        self->events_.received(bytes.substr(0, bytes.size() / 2));
        if (self->client_open_) self->events_.received(bytes.substr(bytes.size() / 2));
        if (self->client_open_) after();
    });
}

void Wire::cut() {
    ++world_.tally["cuts"];
    world_.trace(fmt::format("{} is cut", id_.number));
    fall_silent();
    const bool half_open = !world_.calm && world_.random.one_in(6);  // the client is told by nobody
    if (!half_open) tell_closed("the connection broke");
}

void Wire::hang_up() {
    if (std::exchange(pool_open_, false)) pool_.closed(*this);
    world_.time.at(arrival(last_down_), [self = shared_from_this()] {
        if (std::exchange(self->client_open_, false)) self->events_.closed("the pool closed the connection");
    });
}

void Wire::fall_silent() {
    lines_lost_ = true;
    if (std::exchange(pool_open_, false)) pool_.closed(*this);
}

void Wire::tell_closed(const std::string& why) {
    world_.time.after(some_time(world_.random, milliseconds(1), milliseconds(200)), [self = shared_from_this(), why] {
        if (std::exchange(self->client_open_, false)) self->events_.closed(why);
    });
}

net::SteadyTime Wire::arrival(net::SteadyTime& last) {
    last = std::max(last, world_.time.now() + some_time(world_.random, milliseconds(1), milliseconds(200)));
    return last;
}

}  // namespace gpuminer::simulation
