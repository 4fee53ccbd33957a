#include "net/journal/journal.hpp"

#include <exception>
#include <stop_token>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/mutex.hpp"
#include "host/text/json_text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr const char* kWithoutJournal = "; shares and blocks are still sent, but would not survive a crash";

}  // namespace

/// What the thread and the Journal share. An abandoned thread keeps it.
struct Journal::Shared {
    Shared(std::unique_ptr<JournalStore> given_store, JournalEvents given_events, const JournalTiming& given_timing)
        : store(std::move(given_store)),
          timing(given_timing),
          path(store->path()),
          queue(given_timing),
          events(std::move(given_events)) {}

    // The thread's:
    void run(const std::stop_token& stop);
    bool open(const std::stop_token& stop);
    /// Nothing is written any more.
    void fail(const std::string& why);
    [[nodiscard]] std::optional<std::string> next_lines(const std::stop_token& stop);
    void write(const std::string& lines);
    void tell_of_change();
    /// The disk has answered. What the user is to be told; empty: nothing.
    [[nodiscard]] std::string note_answer() GPUMINER_REQUIRES(mutex);

    void say(Severity severity, const std::string& sentence);
    void say_late();

    const std::unique_ptr<JournalStore> store;  // the thread's alone, but for its first path()
    const JournalTiming timing;

    Mutex mutex;
    Condition changed;
    enum class State { kOpening, kOpen, kFailed };
    State state GPUMINER_GUARDED_BY(mutex) = State::kOpening;
    std::string failure GPUMINER_GUARDED_BY(mutex);          // why nothing is written
    bool constructing GPUMINER_GUARDED_BY(mutex) = true;     // the constructor reports the failure
    std::filesystem::path path GPUMINER_GUARDED_BY(mutex);   // as Journal::path()
    std::vector<json> left_open GPUMINER_GUARDED_BY(mutex);  // until take_open()
    JournalQueue queue GPUMINER_GUARDED_BY(mutex);
    SteadyTime trouble_told_at GPUMINER_GUARDED_BY(mutex){};

    Mutex events_mutex;                                      // held during events; `mutex` is not
    JournalEvents events GPUMINER_GUARDED_BY(events_mutex);  // none after the Journal's end
};

// ----- the thread -----

void Journal::Shared::run(const std::stop_token& stop) {
    try {
        if (open(stop)) {
            while (const auto lines = next_lines(stop)) write(*lines);
        }
    } catch (const std::exception& error) {  // no memory
        fail(error.what());
    }
}

bool Journal::Shared::open(const std::stop_token& stop) {
    std::string news;
    try {
        std::vector<json> entries = store->open(stop);
        const MutexLock lock(mutex);
        state = State::kOpen;
        path = store->path();
        left_open = std::move(entries);
        news = note_answer();
        changed.notify_all();
    } catch (const std::exception& error) {
        fail(error.what());
        return false;
    }
    if (!news.empty()) say(Severity::kInfo, news);
    tell_of_change();
    return true;
}

void Journal::Shared::fail(const std::string& why) {
    bool tell = false;
    {
        const MutexLock lock(mutex);
        state = State::kFailed;
        failure = why;
        queue.clear();
        tell = !constructing;
        changed.notify_all();
    }
    if (tell) say(Severity::kWarning, why + kWithoutJournal);
    tell_of_change();
}

/// Empty: the Journal ends, and all is written.
std::optional<std::string> Journal::Shared::next_lines(const std::stop_token& stop) {
    const MutexLock lock(mutex);
    changed.wait(mutex, stop, [this]() GPUMINER_REQUIRES(mutex) { return !queue.empty(); });
    return queue.empty() ? std::nullopt : std::optional(queue.take());
}

void Journal::Shared::write(const std::string& lines) {
    std::string trouble, news;
    try {
        store->append(lines);
    } catch (const std::exception& error) {
        trouble = error.what();
    }
    {
        const MutexLock lock(mutex);
        queue.settle();
        news = note_answer();
        if (!trouble.empty()) news = tell_again(trouble_told_at, steady_now()) ? trouble + kWithoutJournal : "";
    }
    if (!news.empty()) say(trouble.empty() ? Severity::kInfo : Severity::kWarning, news);
    tell_of_change();
}

std::string Journal::Shared::note_answer() {
    const auto left_out = queue.answered(steady_now());
    if (!left_out) return {};
    std::string news = fmt::format("the disk responds again, and the journal {} continues", shown_path(path));
    if (*left_out > 0) news += fmt::format(" without {} entries", *left_out);
    return news;
}

void Journal::Shared::tell_of_change() {
    const MutexLock lock(events_mutex);
    if (events.changed) events.changed();
}

void Journal::Shared::say(Severity severity, const std::string& sentence) {
    const MutexLock lock(events_mutex);
    if (events.say) events.say(severity, sentence);
}

void Journal::Shared::say_late() {
    std::string name;
    {
        const MutexLock lock(mutex);
        name = shown_path(path);
    }
    say(Severity::kWarning, fmt::format("the disk has not responded for {:.3g} s: until it does, shares and blocks are "
                                        "sent without waiting for the journal {}, and would not survive a crash",
                                        std::chrono::duration<double>(timing.patience).count(), name));
}

// ----- the Journal -----

Journal::Journal(std::unique_ptr<JournalStore> store, const JournalEvents& events, const JournalTiming& timing)
    : shared_(std::make_shared<Shared>(std::move(store), events, timing)) {
    thread_ = AbandonableThread([shared = shared_](const std::stop_token& stop) { shared->run(stop); });
    wait_until_open(events);
}

Journal::Journal(const std::filesystem::path& path, const JournalEvents& events, const JournalTiming& timing)
    : Journal(std::make_unique<JournalFile>(path), events, timing) {}

void Journal::wait_until_open(const JournalEvents& events) {
    constexpr milliseconds kStep{20};  // between questions to `stopped`
    Shared& shared = *shared_;
    const SteadyTime until = steady_now() + shared.timing.patience;
    MutexLock lock(shared.mutex);
    while (shared.state == Shared::State::kOpening && steady_now() < until) {
        shared.changed.wait_for(shared.mutex, kStep, [&]() GPUMINER_REQUIRES(shared.mutex) {
            return shared.state != Shared::State::kOpening;
        });
        lock.unlock();
        const bool stop = events.stopped && events.stopped();
        lock.lock();
        if (stop) break;
    }
    shared.constructing = false;
    if (shared.state == Shared::State::kFailed) {
        const std::string failure = shared.failure;
        lock.unlock();
        if (events.required) {
            thread_.end(true);
            throw InputError(failure);
        }
        return shared.say(Severity::kWarning,
                          fmt::format("mining without a journal: {}; shares and blocks found while no server answers "
                                      "would be lost at exit (--journal FILE names a writable place)",
                                      failure));
    }
    if (shared.state != Shared::State::kOpening) return;
    const bool tell = steady_now() >= until;
    shared.queue.begin_late(tell);
    lock.unlock();
    if (tell) shared.say_late();
}

Journal::~Journal() {
    Shared& shared = *shared_;
    milliseconds patience{};
    {
        const MutexLock lock(shared.mutex);
        (void)shared.queue.look_at_clock(steady_now());
        patience = shared.queue.late() ? shared.timing.at_end_if_late : shared.timing.at_end;
    }
    (void)thread_.finish(patience);
    std::uint64_t unwritten = 0;
    {
        const MutexLock lock(shared.mutex);
        unwritten = shared.queue.unwritten();
    }
    if (unwritten > 0) {
        shared.say(Severity::kWarning, fmt::format("the disk is not responding: {} entries of the journal {} were lost",
                                                   unwritten, shown_path(path())));
    }
    const MutexLock lock(shared.events_mutex);
    shared.events = {};
}

std::filesystem::path Journal::path() const {
    const MutexLock lock(shared_->mutex);
    return shared_->path;
}

std::vector<json> Journal::take_open() {
    const MutexLock lock(shared_->mutex);
    return std::exchange(shared_->left_open, {});
}

JournalTicket Journal::append(const json& entry) {
    std::string line = json_text(entry) + "\n";
    const MutexLock lock(shared_->mutex);
    if (shared_->state == Shared::State::kFailed) return 0;
    shared_->changed.notify_all();
    return shared_->queue.add(std::move(line), steady_now());
}

JournalTicket Journal::released() {
    bool tell = false;
    JournalTicket through = 0;
    {
        const MutexLock lock(shared_->mutex);
        tell = shared_->queue.look_at_clock(steady_now());
        through = shared_->queue.released();
    }
    if (tell) shared_->say_late();
    return through;
}

std::optional<SteadyTime> Journal::next_release() {
    const MutexLock lock(shared_->mutex);
    return shared_->queue.next_release();
}

void Journal::hurry() {
    const MutexLock lock(shared_->mutex);
    shared_->queue.hurry(steady_now());
}

}  // namespace gpuminer::net
