#include "net/journal/file.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/system/folders.hpp"
#include "host/text/json_text.hpp"
#include "net/journal/entries.hpp"
#include "net/journal/reader.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kTheJournal = "the journal";
constexpr const char* kNoFolder =
    "there is no place for the journal: neither HOME nor XDG_STATE_HOME (on Windows LOCALAPPDATA) names a folder";

std::string line_of(const json& entry) { return json_text(entry) + "\n"; }

std::string text_of(const std::vector<json>& entries) {
    std::string text;
    for (const json& entry : entries) text += line_of(entry);
    return text;
}

// "pool.jsonl", "pool-2.jsonl", and so on.
fs::path numbered(const fs::path& wanted, int number) {
    if (number == 1) return wanted;
    fs::path path = wanted;
    path.replace_filename(wanted.stem() += fmt::format("-{}", number)) += wanted.extension();
    return path;
}

// "pool.jsonl.1", and so on.
fs::path aside(const fs::path& path, int number) { return fs::path(path) += fmt::format(".{}", number); }

bool is_made_by_us(HeldFile& held) {
    constexpr std::size_t kLongestFirstLine = 4096;
    const std::string begin = read_at(held.file(), 0, kLongestFirstLine, held.path());
    return begin.empty() || is_first_entry(parse_entry(std::string_view(begin).substr(0, begin.find('\n'))));
}

// The file of this number, if it can be had: the first one has been named by the user, the others only look like ours.
std::optional<HeldFile> open_numbered(const fs::path& path, int number, Make make) {
    if (number == 1) return HeldFile::open(path, make, kTheJournal);
    try {
        auto held = HeldFile::open(path, make, kTheJournal);
        if (held && is_made_by_us(*held)) return held;
    } catch (const InputError&) {  // another user's, a pipe, …
    }
    return std::nullopt;
}

// Reads the end of the file, as far as the budget goes.
void read_entries(HeldFile& held, OpenEntries& entries, std::size_t& budget, const std::stop_token& stop) {
    constexpr std::size_t kPiece = std::size_t{256} << 10;
    const File& file = held.file();
    const fs::path& path = held.path();
    const std::size_t size = size_of(file, path);
    std::size_t from = size - std::min(size, budget);
    budget -= size - from;
    EntryReader reader([&entries](json entry, std::size_t bytes) { entries.add(std::move(entry), bytes); });
    while (from < size && !stop.stop_requested()) {
        const std::string piece = read_at(file, from, std::min(kPiece, size - from), path);
        if (piece.empty()) break;
        reader.add(piece);
        from += piece.size();
    }
    reader.finish();
}

}  // namespace

void JournalFile::open_free() {
    constexpr int kMostFiles = 1000;
    for (int number = 1; number <= kMostFiles; ++number) {
        path_ = numbered(wanted_, number);
        held_ = open_numbered(path_, number, Make::kIfMissing);
        if (held_) return;
    }
    errno = EWOULDBLOCK;
    fail_with_errno("lock the journal", wanted_);
}

std::vector<json> JournalFile::open(const std::stop_token& stop) {
    if (wanted_.empty()) throw InputError(kNoFolder);
    make_folders(folder_of(wanted_));
    open_free();
    sync_folder(folder_of(path_));
    size_ = size_of(held_->file(), path_);
    within_a_line_ = size_ > 0 && read_at(held_->file(), size_ - 1, 1, path_) != "\n";
    std::size_t budget = limits_.read;
    OpenEntries entries;
    read_entries(*held_, entries, budget, stop);
    std::vector<json> open;
    constexpr int kMostAbandoned = 32;
    for (int number = 1; number <= kMostAbandoned && !stop.stop_requested(); ++number) {
        if (numbered(wanted_, number) == path_) continue;
        std::ranges::move(take_over(number, budget, stop), std::back_inserter(open));
    }
    std::ranges::move(entries.take(), std::back_inserter(open));
    return open;
}

std::vector<json> JournalFile::take_over(int number, std::size_t& budget, const std::stop_token& stop) {
    const fs::path path = numbered(wanted_, number);
    try {
        auto held = open_numbered(path, number, Make::kNever);
        if (!held) return {};
        OpenEntries entries;
        read_entries(*held, entries, budget, stop);
        std::vector<json> open = entries.take();
        if (open.empty() || stop.stop_requested()) return {};
        append(line_of(first_entry(entries.totals())) + text_of(open));
        held->rename(aside(path, 1));
        return open;
    } catch (const InputError&) {  // it stays where it is, for a later run
        return {};
    }
}

void JournalFile::append(std::string_view lines) {
    rotate_if_large();
    if (!full_.empty()) throw InputError(full_);
    write(lines);
}

void JournalFile::write(std::string_view text) {
    std::string all;
    if (size_ == 0) all = line_of(first_entry(OpenEntries().totals()));
    if (within_a_line_) all = "\n";  // ends the line, so that it does not spoil this one
    all += text;
    within_a_line_ = true;
    try {
        write_to_disk(held_->file(), all, path_);
    } catch (const InputError&) {
        size_ = size_of(held_->file(), path_);
        throw;
    }
    within_a_line_ = false;
    size_ += all.size();
}

void JournalFile::rotate_if_large() {
    constexpr unsigned kMostFailures = 4;
    if (size_ <= rotate_at_ || steady_now() < next_attempt_) return;
    try {
        replace();
        failures_ = 0;
        full_.clear();
    } catch (const InputError& error) {
        if (++failures_ < kMostFailures) {
            rotate_at_ = size_ + limits_.file;
        } else {
            full_ = fmt::format("the journal is full: {}", error.what());
            next_attempt_ = steady_now() + std::chrono::minutes(1);
        }
    }
}

// At any moment a file of this name holds all that is open, so that neither a crash nor another process finds less.
void JournalFile::replace() {
    OpenEntries entries;
    std::size_t budget = limits_.read;
    read_entries(*held_, entries, budget, {});
    std::string text = line_of(first_entry(entries.totals()));
    text += text_of(entries.take());
    held_->replace(text, [this] { move_aside(); });
    size_ = text.size();
    within_a_line_ = false;
    rotate_at_ = std::max(limits_.file, 2 * size_);
    sync_folder(folder_of(path_));
}

// Where the current file cannot have a second name (a file system without hard links, somebody else's NAME.1), it is
// replaced all the same: what is open in it stands in the next one. It has one already where a crash, or Windows
// because somebody had it open, kept it from being replaced after this.
void JournalFile::move_aside() {
    std::error_code ignored;
    if (fs::equivalent(path_, aside(path_, 1), ignored)) return;
    for (int number = limits_.kept; number > 1; --number) {
        fs::rename(aside(path_, number - 1), aside(path_, number), ignored);
    }
    unlink_file(aside(path_, 1));
    fs::create_hard_link(path_, aside(path_, 1), ignored);
}

fs::path default_journal_path(std::string_view name) {
    const std::string file = std::string(name) + ".jsonl";
    if (const auto folder = state_folder()) return *folder / file;
    throw InputError(kNoFolder);
}

}  // namespace gpuminer::net
