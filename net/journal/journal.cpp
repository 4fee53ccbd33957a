#include "net/journal/journal.hpp"

#include <stop_token>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/json_text.hpp"
#include "net/journal/writer.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// Of entries that wait for the disk. (A block of the main network may have 8 MB.)
constexpr std::size_t kMostQueued = 20'000;
constexpr std::size_t kMostQueuedText = std::size_t{64} << 20;

}  // namespace

Journal::Journal(std::unique_ptr<JournalStore> store, const JournalEvents& events, const JournalTiming& timing)
    : writer_(std::make_shared<JournalWriter>(std::move(store), events, timing)) {
    thread_ = AbandonableThread([writer = writer_](const std::stop_token& stop) { writer->run(stop); });
    wait_until_open(events);
}

Journal::Journal(const std::filesystem::path& path, const JournalEvents& events, const JournalTiming& timing)
    : Journal(std::make_unique<JournalFile>(path), events, timing) {}

void Journal::wait_until_open(const JournalEvents& events) {
    constexpr milliseconds kStep{20};  // between questions to `stopped`
    JournalWriter& writer = *writer_;
    const SteadyTime until = steady_now() + writer.timing.patience;
    MutexLock lock(writer.mutex);
    while (writer.state == JournalWriter::State::kOpening && steady_now() < until) {
        writer.changed.wait_for(writer.mutex, kStep, [&]() GPUMINER_REQUIRES(writer.mutex) {
            return writer.state != JournalWriter::State::kOpening;
        });
        lock.unlock();
        const bool stop = events.stopped && events.stopped();
        lock.lock();
        if (stop) break;
    }
    writer.constructing = false;
    if (writer.state == JournalWriter::State::kFailed) {
        const std::string failure = writer.failure;
        lock.unlock();
        if (events.required) {
            thread_.end(true);
            throw InputError(failure);
        }
        return writer.say(Severity::kWarning,
                          fmt::format("mining without a journal: {}; shares and blocks found while no server answers "
                                      "would be lost at exit (--journal FILE names a writable place)",
                                      failure));
    }
    if (writer.state != JournalWriter::State::kOpening) return;
    writer.late = true;
    if (steady_now() < until) return;
    writer.told_late = true;
    lock.unlock();
    writer.say_late();
}

Journal::~Journal() {
    JournalWriter& writer = *writer_;
    milliseconds patience{};
    {
        const MutexLock lock(writer.mutex);
        (void)writer.look_at_clock();
        patience = writer.late ? writer.timing.at_end_if_late : writer.timing.at_end;
    }
    (void)thread_.finish(patience);
    JournalTicket unwritten = 0;
    {
        const MutexLock lock(writer.mutex);
        unwritten = writer.last - writer.settled + writer.missing;
    }
    if (unwritten > 0) {
        writer.say(Severity::kWarning, fmt::format("the disk is not responding: {} entries of the journal {} were lost",
                                                   unwritten, shown_path(path())));
    }
    const MutexLock lock(writer.events_mutex);
    writer.events = {};
}

std::filesystem::path Journal::path() const {
    const MutexLock lock(writer_->mutex);
    return writer_->path;
}

std::vector<json> Journal::take_open() {
    const MutexLock lock(writer_->mutex);
    return std::exchange(writer_->left_open, {});
}

JournalTicket Journal::append(const json& entry) {
    std::string line = json_text(entry) + "\n";
    JournalWriter& writer = *writer_;
    const MutexLock lock(writer.mutex);
    if (writer.state == JournalWriter::State::kFailed) return 0;
    if (writer.queue.size() >= kMostQueued || writer.queued_text + line.size() > kMostQueuedText) {
        ++writer.missing;
        return 0;
    }
    writer.queued_text += line.size();
    writer.queue.push_back({std::move(line), steady_now()});
    writer.changed.notify_all();
    return ++writer.last;
}

JournalTicket Journal::released() {
    bool tell = false;
    JournalTicket through = 0;
    {
        const MutexLock lock(writer_->mutex);
        tell = writer_->look_at_clock();
        through = writer_->late ? writer_->last : writer_->settled;
    }
    if (tell) writer_->say_late();
    return through;
}

std::optional<SteadyTime> Journal::next_release() {
    const MutexLock lock(writer_->mutex);
    return writer_->late ? std::nullopt : writer_->deadline();
}

void Journal::hurry() {
    const MutexLock lock(writer_->mutex);
    if (!writer_->hurried) writer_->hurried = steady_now();
    writer_->changed.notify_all();
}

}  // namespace gpuminer::net
