// Entries of a journal: the open ones, such as shares and blocks without a reply, and the totals of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::net {

/// The first entry of each file, event "journal". `totals`: those of entries that are not in the file any more.
[[nodiscard]] nlohmann::json first_entry(const nlohmann::json& totals);
[[nodiscard]] bool is_first_entry(const nlohmann::json& entry);

/// Takes a journal's entries in their order, and keeps those that have to outlive the file that they stand in:
/// of pools, shares without a reply and the last session with each; of nodes, blocks that none has replied to, and
/// those of the last two days with their replies. At most kMostShares and kMostBlocks, of kMostShareText and
/// kMostBlockText bytes; beyond that the oldest are left out (shares that solve a block, and blocks without a reply,
/// after the others).
class OpenEntries {
public:
    static constexpr std::size_t kMostShares = 10'000;
    static constexpr std::size_t kMostShareText = std::size_t{8} << 20;
    static constexpr std::size_t kMostBlocks = 1'000;
    static constexpr std::size_t kMostBlockText = std::size_t{32} << 20;

    OpenEntries();
    ~OpenEntries();
    OpenEntries(const OpenEntries&) = delete;
    OpenEntries& operator=(const OpenEntries&) = delete;

    /// `size`: bytes of its text.
    void add(nlohmann::json entry, std::size_t size);
    /// Sessions first, then oldest first; none is left. Each is marked as one that an earlier file's totals count.
    [[nodiscard]] std::vector<nlohmann::json> take();
    /// An object of numbers: "shares", "accepted", "refused", "dropped", "accepted_difficulty" (the sum),
    /// "best_difficulty" (of a share's hash), "blocks", "accepted_blocks". They are those of SHA-256d; for each other
    /// algorithm there is an object of the same, by its name, as difficulties of two cannot be added.
    [[nodiscard]] nlohmann::json totals() const;

private:
    struct Kept;
    struct Block;
    struct Totals;

    Totals& totals_of(const std::string& algorithm);
    void add_sums(const nlohmann::json& entry);
    void add_session(nlohmann::json entry);
    void add_share(nlohmann::json entry, std::size_t size);
    /// Returns the share's algorithm.
    std::string end_share(const std::string& id);
    void add_block(nlohmann::json entry, std::size_t size);
    void add_answer(nlohmann::json entry, std::size_t size);
    void leave_out_oldest();

    std::uint64_t next_ = 0;                                                  // number of the next entry
    std::map<std::pair<std::string, std::string>, nlohmann::json> sessions_;  // by pool and user
    std::map<std::uint64_t, Kept> shares_, solving_;                          // the latter solve a block
    std::unordered_map<std::string, std::uint64_t> share_numbers_;            // by id
    std::size_t share_text_ = 0;                                              // bytes
    std::map<std::uint64_t, Block> blocks_;
    std::unordered_map<std::string, std::uint64_t> block_numbers_;  // by hash
    std::set<std::uint64_t> answered_;                              // of the blocks, by some node
    std::size_t block_text_ = 0;
    std::map<std::string, Totals> totals_;  // by algorithm
    std::string latest_algorithm_;          // for replies to shares that are left out
};

/// Whether nodes that have not replied should get this block although another one has: until it is two days old.
[[nodiscard]] bool is_recent_block(const nlohmann::json& entry);

/// The difficulty that the entry's "hash" meets; 0 where it has none.
[[nodiscard]] double hash_difficulty(const nlohmann::json& entry);
/// The name of the entry's algorithm.
[[nodiscard]] std::string algorithm_in(const nlohmann::json& entry);
/// The entry's text of this name; empty where there is none.
[[nodiscard]] std::string text_in(const nlohmann::json& entry, const char* name);

}  // namespace gpuminer::net
