// Substitutes for net/steady_time.cpp, net/journal/journal.cpp, net/transport/event_loop.cpp and
// net/transport/connection.cpp: the pool client above them is the users' own, on virtual time, a disk in memory, and
// wires to simulated pools.
#include <cstdlib>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "net/journal/journal.hpp"
#include "net/steady_time.hpp"
#include "net/transport/connection.hpp"
#include "net/transport/event_loop.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/wire.hpp"

namespace gpuminer::net {

using simulation::PoolWorld;
using simulation::VirtualTime;

// ----- net/steady_time.cpp -----

SteadyTime steady_now() { return VirtualTime::current().now(); }

std::int64_t unix_milliseconds() {
    constexpr std::int64_t kSomeDay = 1'700'000'000'000;
    return kSomeDay + std::chrono::duration_cast<std::chrono::milliseconds>(steady_now().time_since_epoch()).count();
}

// ----- net/transport/event_loop.cpp -----

struct EventLoop::Impl {};

EventLoop::EventLoop() : impl_(std::make_shared<Impl>()) {}
EventLoop::~EventLoop() = default;
void EventLoop::post(Task task) { poster()(std::move(task)); }
EventLoop::Poster EventLoop::poster() const {
    return [weak = std::weak_ptr(impl_)](Task task) {
        VirtualTime::current().after({}, [weak, task = std::move(task)] {
            if (weak.lock()) task();
        });
    };
}
boost::asio::io_context& EventLoop::context() { std::abort(); }  // there are no sockets
void EventLoop::run() { std::abort(); }
void EventLoop::stop() { std::abort(); }

struct Timer::Impl {
    std::uint64_t generation = 0;
};

Timer::Timer(EventLoop&) : impl_(std::make_shared<Impl>()) {}
Timer::~Timer() = default;
void Timer::start(std::chrono::milliseconds after, EventLoop::Task task) {
    VirtualTime::current().after(
        after, [weak = std::weak_ptr(impl_), generation = ++impl_->generation, task = std::move(task)] {
            const auto impl = weak.lock();
            if (impl && impl->generation == generation) task();
        });
}
void Timer::cancel() { ++impl_->generation; }

// ----- net/transport/connection.cpp -----

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
    return std::make_unique<ClientEnd>(std::make_shared<simulation::Wire>(world, pool, std::move(events)));
}

// ----- net/journal/journal.cpp -----

Journal::Journal(const std::filesystem::path&, const JournalEvents& events, const JournalTiming& timing) {
    PoolWorld::current().disk.open(events, timing);
}
Journal::Journal(std::unique_ptr<JournalStore>, const JournalEvents&, const JournalTiming&) {
    std::abort();
}  // not used
Journal::~Journal() { PoolWorld::current().disk.close(); }
std::filesystem::path Journal::path() const { return "journal"; }
std::vector<nlohmann::json> Journal::take_open() { return PoolWorld::current().disk.take_open(); }
JournalTicket Journal::append(const nlohmann::json& entry) { return PoolWorld::current().disk.append(entry); }
JournalTicket Journal::released() { return PoolWorld::current().disk.released(); }
std::optional<SteadyTime> Journal::next_release() { return PoolWorld::current().disk.next_release(); }
void Journal::hurry() {}

}  // namespace gpuminer::net
