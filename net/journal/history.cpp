#include "net/journal/history.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/files/file_text.hpp"
#include "host/files/own_file.hpp"
#include "host/text/document.hpp"
#include "host/text/text.hpp"
#include "net/journal/entries.hpp"
#include "net/journal/reader.hpp"

namespace gpuminer::net {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kLongestName = 200;  // bytes, of a pool's URL and of a reason
constexpr std::size_t kMostReasons = 20;

std::uint64_t whole_number(const json& entry, const char* name) {
    const auto it = entry.find(name);
    return it != entry.end() && it->is_number_integer() && *it >= 0 ? it->get<std::uint64_t>() : 0;
}

double positive_number(const json& entry, const char* name) {
    const auto it = entry.find(name);
    const double number = it != entry.end() && it->is_number() ? it->get<double>() : 0;
    return std::isfinite(number) && number > 0 ? number : 0;
}

bool flag_in(const json& entry, const char* name) {
    const auto it = entry.find(name);
    return it != entry.end() && *it == true;
}

std::string name_in(const json& entry, const char* name) {
    return printable(text_in(entry, name).substr(0, kLongestName));
}

/// ISO 8601; empty where the entry has none between 1970 and 9999.
std::string time_of(const json& entry) {
    constexpr double kLast = 9e9;  // seconds: within what system_clock can say
    const double seconds = positive_number(entry, "time");
    if (seconds == 0 || seconds > kLast) return "";
    return utc_text(std::chrono::system_clock::from_time_t(static_cast<std::time_t>(seconds))).data();
}

ShareCounts counts_in(const json& entry) {
    return {.shares = whole_number(entry, "shares"),
            .accepted = whole_number(entry, "accepted"),
            .refused = whole_number(entry, "refused"),
            .dropped = whole_number(entry, "dropped"),
            .accepted_difficulty = positive_number(entry, "accepted_difficulty"),
            .best_difficulty = positive_number(entry, "best_difficulty")};
}

void add_reason(PoolDay& day, const std::string& reason) {
    if (day.reasons.size() < kMostReasons || day.reasons.contains(reason)) ++day.reasons[reason];
}

}  // namespace

void ShareCounts::add(const ShareCounts& other) {
    shares += other.shares;
    accepted += other.accepted;
    refused += other.refused;
    dropped += other.dropped;
    accepted_difficulty += other.accepted_difficulty;
    best_difficulty = std::max(best_difficulty, other.best_difficulty);
    open += other.open;
}

JournalHistory::JournalHistory(std::string algorithm) : algorithm_(std::move(algorithm)) {}
JournalHistory::~JournalHistory() = default;
JournalHistory::JournalHistory(JournalHistory&&) noexcept = default;
JournalHistory& JournalHistory::operator=(JournalHistory&&) noexcept = default;

void JournalHistory::add(const json& entry, bool first) {
    const std::string event = text_in(entry, "event");
    if (event == "journal" && first) {
        const auto others = entry.find(algorithm_);
        const bool is_own = algorithm_ == kSha256d.name;
        if (!is_own && (others == entry.end() || !others->is_object())) return;
        const json& sums = is_own ? entry : *others;
        earlier_.add(counts_in(sums));
        earlier_blocks_ += whole_number(sums, "blocks");
    } else if ((event == "shares" || event == "share" || event == "block") && algorithm_in(entry) != algorithm_) {
        return;  // replies find no share then
    } else if (event == "shares") {
        PoolDay* const day = day_of(entry);
        (day != nullptr ? day->counts : earlier_).add(counts_in(entry));
    } else if (event == "share") {
        add_share(entry);
    } else if (event == "reply" || event == "dropped") {
        end_share(entry, event == "reply");
    } else if (event == "block") {
        add_block(entry);
    } else if (event == "submitted") {
        const auto block = solo_blocks_.find(text_in(entry, "hash"));
        if (block == solo_blocks_.end() || block->second->result == "accepted") return;
        block->second->result = flag_in(entry, "accepted") ? "accepted" : name_in(entry, "reason");
    }
}

PoolDay* JournalHistory::day_of(const json& entry) {
    const Day key{time_of(entry).substr(0, 10), name_in(entry, "pool")};
    const auto found = days_.find(key);
    if (found != days_.end()) return &found->second;
    if (days_.size() >= kMostDays) return nullptr;
    return &days_.emplace(key, PoolDay{key.first, key.second, {}, {}}).first->second;
}

void JournalHistory::add_share(const json& entry) {
    const std::string id = text_in(entry, "id");
    if (id.size() > kLongestName || open_.contains(id)) return;  // a file begins with what was open in the one before
    PoolDay* const day = day_of(entry);
    const bool counted = flag_in(entry, "counted_before");  // by the totals, or in a file that is read as well
    const ShareCounts counts{.shares = counted ? 0U : 1U, .best_difficulty = hash_difficulty(entry)};
    (day != nullptr ? day->counts : earlier_).add(counts);
    Open open{day, nullptr};
    if (flag_in(entry, "block") && blocks_.size() < kMostBlocks) {
        blocks_.push_back(std::make_unique<JournalBlock>(
            JournalBlock{time_of(entry), name_in(entry, "pool"), 0, name_in(entry, "hash"), ""}));
        open.block = blocks_.back().get();
    }
    if (open_.size() < kMostOpen) open_.emplace(id, open);
}

void JournalHistory::end_share(const json& entry, bool replied) {
    const auto found = open_.find(text_in(entry, "share"));
    if (found == open_.end()) return;
    const Open share = found->second;
    open_.erase(found);
    const bool accepted = replied && flag_in(entry, "accepted");
    const std::string reason = accepted ? "accepted" : name_in(entry, "reason");
    ShareCounts& counts = share.day != nullptr ? share.day->counts : earlier_;
    ++(accepted ? counts.accepted : replied ? counts.refused : counts.dropped);
    if (accepted) counts.accepted_difficulty += positive_number(entry, "difficulty");
    if (!accepted && share.day != nullptr) add_reason(*share.day, reason);
    if (share.block != nullptr) share.block->result = reason;
}

void JournalHistory::add_block(const json& entry) {
    const std::string hash = name_in(entry, "hash");
    if (blocks_.size() >= kMostBlocks || solo_blocks_.contains(hash)) return;
    blocks_.push_back(std::make_unique<JournalBlock>(
        JournalBlock{time_of(entry), name_in(entry, "chain"), whole_number(entry, "height"), hash, ""}));
    solo_blocks_.emplace(hash, blocks_.back().get());
}

std::vector<PoolDay> JournalHistory::days() const {
    std::map<const PoolDay*, std::uint64_t> open;
    for (const auto& [id, share] : open_) ++open[share.day];
    std::vector<PoolDay> days;
    for (const auto& [key, day] : days_) {
        days.push_back(day);
        days.back().counts.open = open[&day];
    }
    return days;
}

std::vector<JournalBlock> JournalHistory::blocks() const {
    std::vector<JournalBlock> blocks;
    for (const auto& block : blocks_) blocks.push_back(*block);
    return blocks;
}

std::vector<std::vector<fs::path>> journal_files(const fs::path& journal) {
    constexpr int kMostNumbered = 100;  // "NAME-100"
    constexpr int kMostKept = 9;
    std::vector<std::vector<fs::path>> groups;
    std::error_code ignored;
    const auto exists = [&](const fs::path& path) { return fs::exists(path, ignored); };
    for (int number = 1; number <= kMostNumbered; ++number) {
        fs::path name = journal;
        if (number > 1) name.replace_filename(journal.stem() += "-" + std::to_string(number)) += journal.extension();
        std::vector<fs::path> files;
        for (int age = kMostKept; age > 0; --age) {
            fs::path file = name;
            file += "." + std::to_string(age);
            // The same file under two names: the current one that could not be replaced, and would be counted twice.
            if (exists(file) && !fs::equivalent(file, name, ignored)) files.push_back(std::move(file));
        }
        if (exists(name)) files.push_back(name);
        if (!files.empty()) groups.push_back(std::move(files));
    }
    return groups;
}

void read_history(const std::vector<fs::path>& files, JournalHistory& history) {
    bool first = true;
    for (const fs::path& path : files) {
        const std::string complaint = "cannot read the journal " + shown_path(path);
        const auto fail = [&](const std::string& why) { throw InputError(fmt::format("{}: {}", complaint, why)); };
        std::error_code error;
        if (!fs::is_regular_file(path, error)) fail(error ? error.message() : "it is no regular file");
        constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 30;  // bytes; pool and solo begin a new one at 8 MB
        if (fs::file_size(path, error) > kLargest) fail("it has more than 1 GiB");
        InputStream file(path, complaint);
        EntryReader reader([&](const json& entry, std::size_t) { history.add(entry, first); });
        std::string piece(std::size_t{1} << 16, '\0');
        while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0)
            reader.add(std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount())));
        reader.finish();
        first = false;
    }
}

}  // namespace gpuminer::net
