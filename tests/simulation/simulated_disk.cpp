#include "tests/simulation/simulated_disk.hpp"

#include <chrono>
#include <utility>

#include "tests/simulation/world.hpp"

namespace gpuminer::simulation {

using nlohmann::json;
using std::chrono::milliseconds;

void SimulatedDisk::open(net::JournalEvents events, const net::JournalTiming& timing) {
    events_ = std::move(events);
    timing_ = timing;
    ++run_;
    last_ = settled_ = 0;
    taken_ = writing_ = late_ = false;
}

std::vector<json> SimulatedDisk::take_open() { return std::exchange(taken_, true) ? std::vector<json>{} : entries_; }

void SimulatedDisk::close() {
    events_ = {};
    queue_.clear();
    ++run_;
    watcher_.killed();
}

net::JournalTicket SimulatedDisk::append(const json& entry) {
    world_.trace("journal " + entry.dump());
    watcher_.journalled(entry);
    queue_.push_back({entry, world_.time.now()});
    if (late_) watcher_.released(entry);
    write();
    return ++last_;
}

void SimulatedDisk::write() {
    if (writing_ || queue_.empty()) return;
    writing_ = true;
    const bool hangs = !world_.calm && world_.random.one_in(100);
    const auto time = hangs ? some_time(world_.random, milliseconds(500), milliseconds(6000))
                            : some_time(world_.random, milliseconds(1), milliseconds(30));
    world_.time.after(time, [this, run = run_, count = queue_.size()] {
        if (run != run_) return;
        for (std::size_t i = 0; i < count; ++i) {
            keep(queue_.front().entry);
            watcher_.durable(queue_.front().entry);
            queue_.pop_front();
        }
        settled_ += count;
        writing_ = late_ = false;
        if (events_.changed) events_.changed();
        write();
    });
}

/// What is settled is of no use to a run to come, nor are sessions that have ended.
void SimulatedDisk::keep(const json& entry) {
    const std::string event = entry.at("event");
    std::erase_if(entries_, [&](const json& other) {
        if (event == "reply" || event == "dropped") return other.value("id", "") == entry.at("share");
        return event == "session" && other.at("event") == event && other.at("pool") == entry.at("pool");
    });
    if (event != "reply" && event != "dropped") entries_.push_back(entry);
}

net::JournalTicket SimulatedDisk::released() {
    if (!late_ && !queue_.empty() && queue_.front().since + timing_.patience <= world_.time.now()) {
        late_ = true;
        for (const Queued& queued : queue_) watcher_.released(queued.entry);
    }
    return late_ ? last_ : settled_;
}

std::optional<net::SteadyTime> SimulatedDisk::next_release() const {
    if (late_ || queue_.empty()) return std::nullopt;
    return queue_.front().since + timing_.patience;
}

}  // namespace gpuminer::simulation
