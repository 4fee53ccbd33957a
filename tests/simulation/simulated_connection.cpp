// Substitute for net/transport/connection.cpp: wires to simulated pools.
#include <memory>
#include <string>
#include <utility>

#include "net/transport/connection.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/wire.hpp"

namespace gpuminer::net {

using simulation::PoolWorld;

namespace {

class ClientEnd final : public Connection {
public:
    explicit ClientEnd(std::shared_ptr<simulation::Wire> wire) : wire_(std::move(wire)) { wire_->connect(); }
    ~ClientEnd() override { wire_->close(); }
    void send(std::string line) override { wire_->send(std::move(line)); }
    void close() override { wire_->close(); }

private:
    const std::shared_ptr<simulation::Wire> wire_;
};

}  // namespace

std::unique_ptr<Connection> make_connection(EventLoop&, const Endpoint& url, const std::optional<ProxyUrl>&,
                                            const TlsOptions&, ConnectionEvents events) {
    PoolWorld& world = PoolWorld::current();
    simulation::PoolModel& pool = *world.pools.at(std::stoul(url.host.substr(url.host.find_first_of("0123456789"))));
    return std::make_unique<ClientEnd>(std::make_shared<simulation::Wire>(world, pool, url.tls, std::move(events)));
}

}  // namespace gpuminer::net
