// Substitutes for net/steady_time.cpp, net/transport/event_loop.cpp and net/journal/journal.cpp: the clients above them
// are the users' own, on virtual time and with a disk in memory.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "net/journal/journal.hpp"
#include "net/steady_time.hpp"
#include "net/transport/event_loop.hpp"
#include "tests/simulation/world.hpp"

namespace gpuminer::net {

using simulation::VirtualTime;
using simulation::World;

// ----- net/steady_time.cpp -----

SteadyTime steady_now() { return VirtualTime::current().now(); }

std::int64_t unix_milliseconds() {
    constexpr std::int64_t kSomeDay = 1'700'000'000'000;
    return kSomeDay + std::chrono::duration_cast<std::chrono::milliseconds>(steady_now().time_since_epoch()).count();
}

// ----- net/transport/event_loop.cpp -----

struct EventLoop::Impl {
    std::atomic<bool> stopped = false;
};

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
// The thread of a client waits for its end, while the test's runs the tasks.
void EventLoop::run() { impl_->stopped.wait(false); }
void EventLoop::stop() {
    impl_->stopped = true;
    impl_->stopped.notify_all();
}

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

// ----- net/journal/journal.cpp -----

Journal::Journal(const std::filesystem::path&, const JournalEvents& events, const JournalTiming& timing) {
    World::current().disk.open(events, timing);
}
Journal::Journal(std::unique_ptr<JournalStore>, const JournalEvents& events, const JournalTiming& timing)
    : Journal(std::filesystem::path(), events, timing) {}
Journal::~Journal() { World::current().disk.close(); }
std::filesystem::path Journal::path() const { return "journal"; }
std::vector<nlohmann::json> Journal::take_open() { return World::current().disk.take_open(); }
JournalTicket Journal::append(const nlohmann::json& entry) { return World::current().disk.append(entry); }
JournalTicket Journal::released() { return World::current().disk.released(); }
std::optional<SteadyTime> Journal::next_release() { return World::current().disk.next_release(); }
void Journal::hurry() {}

}  // namespace gpuminer::net
