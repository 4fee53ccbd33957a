#include "net/journal/entries.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <nlohmann/json.hpp>

#include "host/block/algorithm.hpp"
#include "host/block/hash256.hpp"
#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr double kRecent = 2.0 * 24 * 3600;  // seconds
constexpr const char* kCountedBefore = "counted_before";
constexpr std::size_t kLongestOfOthers = std::size_t{64} << 10;  // bytes, of an entry that is no block

bool is_true(const json& entry, const char* name) {
    const auto it = entry.find(name);
    return it != entry.end() && *it == true;
}

std::uint64_t count_in(const json& entry, const char* name) {
    const auto it = entry.find(name);
    return it != entry.end() && it->is_number_integer() && *it >= 0 ? it->get<std::uint64_t>() : 0;
}

double amount_in(const json& entry, const char* name) {
    const auto it = entry.find(name);
    const double amount = it != entry.end() && it->is_number() ? it->get<double>() : 0;
    return std::isfinite(amount) && amount > 0 ? amount : 0;
}

}  // namespace

std::string text_in(const json& entry, const char* name) {
    const auto it = entry.find(name);
    return it != entry.end() && it->is_string() ? it->get<std::string>() : std::string();
}

bool is_recent_block(const json& entry) {
    const auto time = entry.find("time");
    return time != entry.end() && time->is_number() &&
           time->get<double>() > static_cast<double>(std::time(nullptr)) - kRecent;
}

double hash_difficulty(const json& entry) {
    const std::string hash = text_in(entry, "hash");
    if (hash.size() != 64 || !is_hex(hash)) return 0;
    const double difficulty = difficulty_of(hash256_from_hex(hash, "a hash"));
    return std::isfinite(difficulty) ? difficulty : 0;
}

json first_entry(const json& totals) {
    json entry = totals;
    entry["event"] = "journal";
    entry["program"] = "gpuminer";
    return entry;
}

bool is_first_entry(const json& entry) {
    return entry.is_object() && text_in(entry, "event") == "journal" && text_in(entry, "program") == "gpuminer";
}

std::string algorithm_in(const json& entry) {
    const std::string name = text_in(entry, "algorithm");
    return name.empty() ? kSha256d.name : name;
}

struct OpenEntries::Kept {
    json entry;
    std::size_t size = 0;
};

struct OpenEntries::Block {
    Kept block;
    std::map<std::string, json> answers;  // by node
    bool accepted = false;
};

struct OpenEntries::Totals {
    std::uint64_t shares = 0, accepted = 0, refused = 0, dropped = 0, blocks = 0, accepted_blocks = 0;
    double accepted_difficulty = 0, best_difficulty = 0;

    /// Of an entry or an object with sums: of a file's first one, or of many shares (net/pool/pending_shares.hpp).
    void add_sums(const json& entry) {
        shares += count_in(entry, "shares");
        accepted += count_in(entry, "accepted");
        refused += count_in(entry, "refused");
        dropped += count_in(entry, "dropped");
        blocks += count_in(entry, "blocks");
        accepted_blocks += count_in(entry, "accepted_blocks");
        accepted_difficulty += amount_in(entry, "accepted_difficulty");
        best_difficulty = std::max(best_difficulty, amount_in(entry, "best_difficulty"));
    }
    void add_share(const json& entry) {
        ++shares;
        best_difficulty = std::max(best_difficulty, hash_difficulty(entry));
    }
    void add_reply(const json& entry) {
        const bool is_accepted = is_true(entry, "accepted");
        ++(is_accepted ? accepted : refused);
        if (is_accepted) accepted_difficulty += amount_in(entry, "difficulty");
    }

    [[nodiscard]] json to_json() const {
        return {{"shares", shares},
                {"accepted", accepted},
                {"refused", refused},
                {"dropped", dropped},
                {"accepted_difficulty", accepted_difficulty},
                {"best_difficulty", best_difficulty},
                {"blocks", blocks},
                {"accepted_blocks", accepted_blocks}};
    }
};

OpenEntries::OpenEntries() : latest_algorithm_(kSha256d.name) {}
OpenEntries::~OpenEntries() = default;

void OpenEntries::add(json entry, std::size_t size) {
    const std::string event = text_in(entry, "event");
    if (size > kLongestOfOthers && event != "block") return;
    if (event == "journal" || event == "shares") {
        add_sums(entry);
    } else if (event == "session") {
        add_session(std::move(entry));
    } else if (event == "share") {
        latest_algorithm_ = algorithm_in(entry);
        if (!is_true(entry, kCountedBefore)) totals_of(latest_algorithm_).add_share(entry);
        add_share(std::move(entry), size);
    } else if (event == "reply") {
        totals_of(end_share(text_in(entry, "share"))).add_reply(entry);
    } else if (event == "dropped") {
        ++totals_of(end_share(text_in(entry, "share"))).dropped;
    } else if (event == "block") {
        add_block(std::move(entry), size);
    } else if (event == "submitted") {
        add_answer(std::move(entry), size);
    }
    leave_out_oldest();
}

/// Where a file names more algorithms than there may be, the last ones count as one.
OpenEntries::Totals& OpenEntries::totals_of(const std::string& algorithm) {
    constexpr std::size_t kMostAlgorithms = 8, kLongestName = 40;
    const bool is_new = !totals_.contains(algorithm);
    if (is_new && (totals_.size() >= kMostAlgorithms || algorithm.size() > kLongestName)) return totals_["others"];
    return totals_[algorithm];
}

void OpenEntries::add_sums(const json& entry) {
    totals_of(algorithm_in(entry)).add_sums(entry);
    for (const auto& [name, sums] : entry.items()) {
        if (sums.is_object()) totals_of(name).add_sums(sums);
    }
}

void OpenEntries::add_session(json entry) {
    constexpr std::size_t kMostSessions = 100;
    const std::pair key(text_in(entry, "pool"), text_in(entry, "user"));
    sessions_.insert_or_assign(key, std::move(entry));
    if (sessions_.size() > kMostSessions) sessions_.erase(sessions_.begin());
}

void OpenEntries::add_share(json entry, std::size_t size) {
    if (!share_numbers_.try_emplace(text_in(entry, "id"), next_).second) return;
    share_text_ += size;
    auto& shares = is_true(entry, "block") ? solving_ : shares_;
    shares.emplace(next_++, Kept{std::move(entry), size});
}

std::string OpenEntries::end_share(const std::string& id) {
    std::string algorithm = latest_algorithm_;
    const auto number = share_numbers_.find(id);
    if (number == share_numbers_.end()) return algorithm;
    for (auto* shares : {&shares_, &solving_}) {
        const auto share = shares->find(number->second);
        if (share == shares->end()) continue;
        algorithm = algorithm_in(share->second.entry);
        share_text_ -= share->second.size;
        shares->erase(share);
    }
    share_numbers_.erase(number);
    return algorithm;
}

void OpenEntries::add_block(json entry, std::size_t size) {
    if (!block_numbers_.try_emplace(text_in(entry, "hash"), next_).second) return;
    if (!is_true(entry, kCountedBefore)) ++totals_of(kSha256d.name).blocks;
    block_text_ += size;
    blocks_.emplace(next_++, Block{{std::move(entry), size}, {}, false});
}

void OpenEntries::add_answer(json entry, std::size_t size) {
    const auto number = block_numbers_.find(text_in(entry, "hash"));
    if (number == block_numbers_.end()) return;
    Block& block = blocks_.at(number->second);
    if (is_true(entry, "accepted") && !std::exchange(block.accepted, true) && !is_true(entry, kCountedBefore)) {
        ++totals_of(kSha256d.name).accepted_blocks;
    }
    answered_.insert(number->second);
    block.block.size += size;
    block_text_ += size;
    block.answers.insert_or_assign(text_in(entry, "node"), std::move(entry));
}

void OpenEntries::leave_out_oldest() {
    while (shares_.size() + solving_.size() > kMostShares || share_text_ > kMostShareText) {
        const auto& oldest = shares_.empty() ? solving_ : shares_;
        (void)end_share(text_in(oldest.begin()->second.entry, "id"));
    }
    while (blocks_.size() > kMostBlocks || block_text_ > kMostBlockText) {
        const auto oldest = answered_.empty() ? blocks_.begin() : blocks_.find(*answered_.begin());
        block_text_ -= oldest->second.block.size;
        block_numbers_.erase(text_in(oldest->second.block.entry, "hash"));
        answered_.erase(oldest->first);
        blocks_.erase(oldest);
    }
}

std::vector<json> OpenEntries::take() {
    std::vector<json> open;
    for (auto& [pool, session] : std::exchange(sessions_, {})) open.push_back(std::move(session));
    std::map<std::uint64_t, Kept> shares = std::exchange(shares_, {});
    shares.merge(std::exchange(solving_, {}));
    for (auto& [number, share] : shares) open.push_back(std::move(share.entry));
    for (auto& [number, block] : std::exchange(blocks_, {})) {
        if (!block.answers.empty() && !is_recent_block(block.block.entry)) continue;
        open.push_back(std::move(block.block.entry));
        for (auto& [node, answer] : block.answers) open.push_back(std::move(answer));
    }
    share_numbers_.clear();
    block_numbers_.clear();
    answered_.clear();
    share_text_ = block_text_ = 0;
    for (json& entry : open) entry[kCountedBefore] = true;
    return open;
}

json OpenEntries::totals() const {
    const auto own = totals_.find(kSha256d.name);
    json all = (own != totals_.end() ? own->second : Totals{}).to_json();
    for (const auto& [algorithm, totals] : totals_) {
        if (algorithm != kSha256d.name) all[algorithm] = totals.to_json();
    }
    return all;
}

}  // namespace gpuminer::net
