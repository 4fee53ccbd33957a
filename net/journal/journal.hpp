// The journal: entries that must outlive a crash are written to the disk by a thread of its own, so that a disk that
// does not answer stops nothing else.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/abandonable_thread.hpp"
#include "host/notices.hpp"
#include "net/journal/file.hpp"
#include "net/journal/queue.hpp"
#include "net/steady_time.hpp"

namespace gpuminer::net {

struct JournalEvents {
    /// A line for the user: the disk does not answer, answers again, cannot be written. From any thread.
    std::function<void(Severity, std::string)> say;
    /// released() has changed, or take_open() has entries. From the journal's thread; returns at once.
    std::function<void()> changed;
    /// Asked while the constructor waits: true ends its waiting.
    std::function<bool()> stopped;
    /// False: where the file cannot be opened, a warning takes the place of the constructor's InputError.
    bool required = true;
};

class Journal {
public:
    /// Starts the thread, which opens the file, and waits for that, but no longer than the patience. Throws InputError
    /// where it cannot be opened and is required.
    Journal(std::unique_ptr<JournalStore> store, const JournalEvents& events, const JournalTiming& timing = {});
    Journal(const std::filesystem::path& path, const JournalEvents& events, const JournalTiming& timing = {});
    /// Waits a moment for what is still to be written. A thread that the disk keeps is abandoned.
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    // From any thread; none of them waits for the disk:

    /// The file's name; until it is open, the one that was wanted.
    [[nodiscard]] std::filesystem::path path() const;
    /// What earlier runs left open (entries.hpp), once; empty while the file is not open yet.
    [[nodiscard]] std::vector<nlohmann::json> take_open();
    /// Queues an entry. 0: it is not going to be written (the queue is full, the file could not be opened).
    JournalTicket append(const nlohmann::json& entry);
    /// Entries up to this one need not be waited for: they are on disk, or could not be written, or the disk has not
    /// answered for as long as the patience is.
    [[nodiscard]] JournalTicket released();
    /// When released() has to be called again, if nothing comes from the disk; empty: all entries are released.
    [[nodiscard]] std::optional<SteadyTime> next_release();
    /// The program is ending: from now on the disk is waited for a moment only.
    void hurry();

private:
    struct Shared;
    void wait_until_open(const JournalEvents& events);

    const std::shared_ptr<Shared> shared_;
    AbandonableThread thread_;
};

}  // namespace gpuminer::net
