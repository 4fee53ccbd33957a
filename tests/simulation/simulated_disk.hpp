// The disk that a simulated journal is written to. It takes its time, does not answer now and then, and keeps what it
// has when the client is killed.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "net/journal/journal.hpp"
#include "net/steady_time.hpp"

namespace gpuminer::simulation {

class World;

/// Told of what becomes of a journal's entries.
class DiskWatcher {
public:
    virtual void journalled(const nlohmann::json& entry) = 0;
    /// The entry need not be waited for any more.
    virtual void released(const nlohmann::json& entry) = 0;
    /// It is on disk.
    virtual void durable(const nlohmann::json& entry) = 0;
    /// A run of the client is over: what is not on disk has never been.
    virtual void killed() = 0;

protected:
    ~DiskWatcher() = default;
};

/// What Journal does, but on virtual time. Of a journal's entries only what is open is kept.
class SimulatedDisk {
public:
    SimulatedDisk(World& world, DiskWatcher& watcher) : world_(world), watcher_(watcher) {}

    /// A run of the client begins.
    void open(net::JournalEvents events, const net::JournalTiming& timing);
    /// It ends; what is not written yet is lost.
    void close();

    /// What earlier runs left open, once.
    [[nodiscard]] std::vector<nlohmann::json> take_open();
    [[nodiscard]] net::JournalTicket append(const nlohmann::json& entry);
    [[nodiscard]] net::JournalTicket released();
    [[nodiscard]] std::optional<net::SteadyTime> next_release() const;

    /// What is on it.
    [[nodiscard]] const std::vector<nlohmann::json>& entries() const { return entries_; }
    /// A run before has left this entry.
    void leave(const nlohmann::json& entry) { entries_.push_back(entry); }

private:
    struct Queued {
        nlohmann::json entry;
        net::SteadyTime since;
    };
    void write();
    void keep(const nlohmann::json& entry);

    World& world_;
    DiskWatcher& watcher_;
    std::vector<nlohmann::json> entries_;
    // Of the run:
    net::JournalEvents events_;
    net::JournalTiming timing_;
    std::uint64_t run_ = 0;
    std::deque<Queued> queue_;
    net::JournalTicket last_ = 0, settled_ = 0;
    bool taken_ = false;
    bool writing_ = false;
    bool late_ = false;
};

}  // namespace gpuminer::simulation
