#include "net/journal/writer.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestBatch = std::size_t{1} << 20;  // bytes that are written at once, but for a single entry
constexpr auto kBetweenWarnings = std::chrono::minutes(1);   // of the same kind
constexpr const char* kWithoutJournal = "; shares and blocks are still sent, but would not survive a crash";

}  // namespace

void JournalWriter::run(const std::stop_token& stop) {
    try {
        if (open(stop)) {
            while (const auto batch = next_batch(stop)) write(*batch);
        }
    } catch (const std::exception& error) {  // no memory
        fail(error.what());
    }
}

bool JournalWriter::open(const std::stop_token& stop) {
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

void JournalWriter::fail(const std::string& why) {
    bool tell = false;
    {
        const MutexLock lock(mutex);
        state = State::kFailed;
        failure = why;
        queue.clear();
        settled = last;
        tell = !constructing;
        changed.notify_all();
    }
    if (tell) say(Severity::kWarning, why + kWithoutJournal);
    tell_of_change();
}

std::optional<JournalBatch> JournalWriter::next_batch(const std::stop_token& stop) {
    const MutexLock lock(mutex);
    if (!changed.wait(mutex, stop, [this]() GPUMINER_REQUIRES(mutex) { return !queue.empty(); })) return std::nullopt;
    JournalBatch batch;
    writing_since = queue.front().since;
    do {
        batch.lines += queue.front().line;
        queued_text -= queue.front().line.size();
        queue.pop_front();
    } while (!queue.empty() && batch.lines.size() + queue.front().line.size() <= kLargestBatch);
    batch.last = last - queue.size();
    return batch;
}

void JournalWriter::write(const JournalBatch& batch) {
    std::string trouble;
    try {
        store->append(batch.lines);
    } catch (const std::exception& error) {
        trouble = error.what();
    }
    settle(batch.last, trouble);
}

void JournalWriter::settle(JournalTicket through, const std::string& trouble) {
    std::string news;
    {
        const MutexLock lock(mutex);
        settled = through;
        writing_since.reset();
        news = note_answer();
        if (!trouble.empty()) news = tell_again(trouble_told_at) ? trouble + kWithoutJournal : "";
        changed.notify_all();
    }
    if (!news.empty()) say(trouble.empty() ? Severity::kInfo : Severity::kWarning, news);
    tell_of_change();
}

std::string JournalWriter::note_answer() {
    const auto until = deadline();
    late = late && until && steady_now() >= *until;
    if (late || !std::exchange(told_late, false)) return {};
    std::string news = fmt::format("the disk responds again, and the journal {} continues", shown_path(path));
    if (const auto lost = std::exchange(missing, 0); lost > 0) news += fmt::format(" without {} entries", lost);
    return news;
}

void JournalWriter::tell_of_change() {
    const MutexLock lock(events_mutex);
    if (events.changed) events.changed();
}

void JournalWriter::say(Severity severity, const std::string& sentence) {
    const MutexLock lock(events_mutex);
    if (events.say) events.say(severity, sentence);
}

void JournalWriter::say_late() {
    std::string name;
    {
        const MutexLock lock(mutex);
        name = shown_path(path);
    }
    say(Severity::kWarning, fmt::format("the disk has not responded for {:.3g} s: until it does, shares and blocks are "
                                        "sent without waiting for the journal {}, and would not survive a crash",
                                        std::chrono::duration<double>(timing.patience).count(), name));
}

std::optional<SteadyTime> JournalWriter::deadline() const {
    if (settled == last) return std::nullopt;
    const SteadyTime since = writing_since ? *writing_since : queue.front().since;
    const SteadyTime until = since + timing.patience;
    return hurried ? std::min(until, *hurried + timing.after_hurry) : until;
}

bool JournalWriter::look_at_clock() {
    const auto until = deadline();
    if (late || !until || steady_now() < *until) return false;
    late = true;
    if (hurried || !tell_again(late_told_at)) return false;
    told_late = true;
    return true;
}

bool JournalWriter::tell_again(SteadyTime& last_time) {
    const SteadyTime now = steady_now();
    if (last_time != SteadyTime{} && now - last_time < kBetweenWarnings) return false;
    last_time = now;
    return true;
}

}  // namespace gpuminer::net
