// The journal's writer: the thread that opens the file and writes queued entries, and the state that it shares with its
// owner.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/mutex.hpp"
#include "net/journal/journal.hpp"
#include "net/steady_time.hpp"

namespace gpuminer::net {

struct QueuedEntry {
    std::string line;
    SteadyTime since;
};

struct JournalBatch {
    std::string lines;
    JournalTicket last = 0;
};

/// Owned by the Journal and by the thread, so that an abandoned thread keeps it.
struct JournalWriter {
    JournalWriter(std::unique_ptr<JournalStore> given_store, JournalEvents given_events,
                  const JournalTiming& given_timing)
        : store(std::move(given_store)), timing(given_timing), path(store->path()), events(std::move(given_events)) {}

    // The thread's:
    void run(const std::stop_token& stop);
    bool open(const std::stop_token& stop);
    /// Nothing is written any more.
    void fail(const std::string& why);
    [[nodiscard]] std::optional<JournalBatch> next_batch(const std::stop_token& stop);
    void write(const JournalBatch& batch);
    void settle(JournalTicket through, const std::string& trouble);
    void tell_of_change();
    /// The disk has answered. What the user is to be told; empty: nothing.
    [[nodiscard]] std::string note_answer() GPUMINER_REQUIRES(mutex);

    void say(Severity severity, const std::string& sentence);
    void say_late();
    /// When waiting for the disk ends; empty: nothing waits.
    [[nodiscard]] std::optional<SteadyTime> deadline() const GPUMINER_REQUIRES(mutex);
    /// True: the user is to be told that the disk is late.
    [[nodiscard]] bool look_at_clock() GPUMINER_REQUIRES(mutex);
    /// False: it was told less than a minute ago.
    [[nodiscard]] static bool tell_again(SteadyTime& last_time);

    const std::unique_ptr<JournalStore> store;  // the thread's alone, but for its first path()
    const JournalTiming timing;

    Mutex mutex;
    Condition changed;
    enum class State { kOpening, kOpen, kFailed };
    State state GPUMINER_GUARDED_BY(mutex) = State::kOpening;
    std::string failure GPUMINER_GUARDED_BY(mutex);                    // why nothing is written
    bool constructing GPUMINER_GUARDED_BY(mutex) = true;               // the constructor reports the failure
    std::filesystem::path path GPUMINER_GUARDED_BY(mutex);             // as Journal::path()
    std::vector<nlohmann::json> left_open GPUMINER_GUARDED_BY(mutex);  // until take_open()
    std::deque<QueuedEntry> queue GPUMINER_GUARDED_BY(mutex);
    std::size_t queued_text GPUMINER_GUARDED_BY(mutex) = 0;              // bytes
    std::optional<SteadyTime> writing_since GPUMINER_GUARDED_BY(mutex);  // of the oldest entry that is being written
    JournalTicket last GPUMINER_GUARDED_BY(mutex) = 0;
    JournalTicket settled GPUMINER_GUARDED_BY(mutex) = 0;  // up to this one all are on disk, or could not be written
    std::uint64_t missing GPUMINER_GUARDED_BY(mutex) = 0;  // entries for which the queue had no room
    bool late GPUMINER_GUARDED_BY(mutex) = false;          // the disk is not waited for
    bool told_late GPUMINER_GUARDED_BY(mutex) = false;
    std::optional<SteadyTime> hurried GPUMINER_GUARDED_BY(mutex);
    SteadyTime late_told_at GPUMINER_GUARDED_BY(mutex);
    SteadyTime trouble_told_at GPUMINER_GUARDED_BY(mutex);

    Mutex events_mutex;                                      // held during events; `mutex` is not
    JournalEvents events GPUMINER_GUARDED_BY(events_mutex);  // none after the Journal's end
};

}  // namespace gpuminer::net
