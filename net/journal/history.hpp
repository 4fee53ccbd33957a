// Statistics of a journal: shares by day and pool, blocks, the best share ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/block/algorithm.hpp"

namespace gpuminer::net {

struct ShareCounts {
    std::uint64_t shares = 0;  ///< found
    std::uint64_t accepted = 0, refused = 0;
    std::uint64_t dropped = 0;  ///< not sent, or given up
    double accepted_difficulty = 0;
    double best_difficulty = 0;  ///< of a share's hash; 0: unknown
    std::uint64_t open = 0;      ///< nothing is known of their end

    void add(const ShareCounts& other);
};

struct PoolDay {
    std::string day;   ///< UTC: "2026-11-23"; "" for what has no time
    std::string pool;  ///< its URL
    ShareCounts counts;
    std::map<std::string, std::uint64_t>
        reasons;  ///< why shares were refused or dropped, and how many; at most 20 of them
};

struct JournalBlock {
    std::string time;          ///< UTC, ISO 8601; "" where it is unknown
    std::string where;         ///< a chain's name, or a pool's URL
    std::uint64_t height = 0;  ///< 0: unknown (pools)
    std::string hash;
    std::string result;  ///< "accepted", a reason, or "" without a reply
};

/// What one algorithm's entries tell, as difficulties of two cannot be added. Takes the entries of files in the order
/// in which they were written. At most kMostDays, kMostBlocks and kMostOpen shares are told apart, so that no file
/// needs much memory: what is more is counted in `earlier` alone.
class JournalHistory {
public:
    static constexpr std::size_t kMostDays = 20'000;
    static constexpr std::size_t kMostBlocks = 20'000;
    static constexpr std::size_t kMostOpen = 100'000;

    explicit JournalHistory(std::string algorithm = kSha256d.name);
    ~JournalHistory();
    JournalHistory(JournalHistory&&) noexcept;
    JournalHistory& operator=(JournalHistory&&) noexcept;

    /// `first`: of the oldest file of a journal, whose first entry has the totals of what was written before it.
    void add(const nlohmann::json& entry, bool first);

    [[nodiscard]] std::vector<PoolDay> days() const;         ///< by day, then by pool
    [[nodiscard]] std::vector<JournalBlock> blocks() const;  ///< in the order in which they were found
    /// What no file tells the day of any more.
    [[nodiscard]] const ShareCounts& earlier() const { return earlier_; }
    [[nodiscard]] std::uint64_t earlier_blocks() const { return earlier_blocks_; }
    [[nodiscard]] const std::string& algorithm() const { return algorithm_; }

private:
    using Day = std::pair<std::string, std::string>;  // day and pool
    struct Open {
        PoolDay* day = nullptr;         // null: not told apart
        JournalBlock* block = nullptr;  // the share solves it
    };

    PoolDay* day_of(const nlohmann::json& entry);
    void add_share(const nlohmann::json& entry);
    void end_share(const nlohmann::json& entry, bool replied);
    void add_block(const nlohmann::json& entry);

    std::string algorithm_;
    std::map<Day, PoolDay> days_;
    std::vector<std::unique_ptr<JournalBlock>> blocks_;
    std::unordered_map<std::string, JournalBlock*> solo_blocks_;  // by hash
    std::unordered_map<std::string, Open> open_;                  // by a share's id
    ShareCounts earlier_;
    std::uint64_t earlier_blocks_ = 0;
};

/// The files of a journal that exist, oldest first: NAME.3, NAME.2, NAME.1 and NAME, the same of NAME-2 and so on, each
/// group by itself.
[[nodiscard]] std::vector<std::vector<std::filesystem::path>> journal_files(const std::filesystem::path& journal);

/// Adds every entry of one group of them. Throws InputError for what is no regular file or cannot be read.
void read_history(const std::vector<std::filesystem::path>& files, JournalHistory& history);

}  // namespace gpuminer::net
