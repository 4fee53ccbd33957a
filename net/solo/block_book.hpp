// The book of found blocks: the answers still expected from each node, the accepted blocks, their counts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "host/mutex.hpp"
#include "host/search/mining_job.hpp"
#include "net/node/node.hpp"
#include "net/solo/state.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

/// A block as it is submitted.
struct FoundBlock {
    Hash256 hash, previous;  ///< display order; `previous` is zero where it is not known
    std::uint32_t height = 0;
    std::string hex, work_id;
    std::chrono::steady_clock::time_point found_at = std::chrono::steady_clock::now();
};
using FoundBlockPtr = std::shared_ptr<const FoundBlock>;

/// All functions may be called from any thread. Nodes are numbered as in SoloState::nodes.
class BlockBook {
public:
    explicit BlockBook(SoloState& state);

    // Finds: hits that are not assembled yet.

    /// Returns at once. A second block on the same previous one is dropped while the first is in flight or accepted.
    void add_find(const JobHit& found);
    /// Waits for a find, and leaves it in the book. Empty: a stop is requested, and there is none.
    [[nodiscard]] std::optional<JobHit> next_find(const std::stop_token& stop);
    /// The first find is in the book as a block.
    void end_find();
    /// The first find cannot be made a block: its height is mined again.
    void lose_find();

    // Blocks:

    /// Puts a block into the queues of all nodes.
    void add(const FoundBlockPtr& block);
    /// Puts a block of an earlier run into the queues of `nodes`. `answered`, `accepted`: by other nodes.
    void resume(const FoundBlockPtr& block, const std::vector<std::size_t>& nodes, bool answered, bool accepted);
    /// The block of ours on this previous one that is said to be accepted, where the nodes have had time enough to give
    /// templates on top of it, and no newer one on the same is in flight.
    [[nodiscard]] std::optional<Hash256> accepted_on(const Hash256& previous) const;
    /// An accepted block is not on the best chain (any more): its height is mined again, and all nodes get it once
    /// more.
    void left_the_chain(const Hash256& hash, const std::string& node_name);

    // The queue of one node:

    /// Waits for a block. The newest goes first, but after its parent. Null: a stop is requested.
    [[nodiscard]] FoundBlockPtr next_block(const std::stop_token& stop, std::size_t node);
    /// After a failed attempt: waits for `pause`, or until there is a newer block. `newest_last`: older ones go first.
    /// False: there is a newer block already.
    bool wait_to_retry(const std::stop_token& stop, std::size_t node, std::chrono::milliseconds pause,
                       bool newest_last);
    /// The node's answer. `from_giver`: it is the node that gives the templates.
    void settle(std::size_t node, const FoundBlock& block, const BlockReply& reply, bool from_giver);
    /// The node is given no block any more.
    void exclude(std::size_t node);
    /// Whether the block's parent is one of ours that is in the node's queue, or accepted by some node.
    [[nodiscard]] bool knows_parent(std::size_t node, const FoundBlock& block) const;

    /// Until every node has answered for every block (true), but not longer than `patience`.
    [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds patience);
    /// The part of the status that is about blocks.
    [[nodiscard]] WorkStatus counts() const;

private:
    struct Entry {
        FoundBlockPtr block;
        std::size_t open = 0;                               ///< nodes that have neither answered nor been excluded
        bool answered = false;                              ///< by any
        bool accepted = false;                              ///< by any
        std::chrono::steady_clock::time_point accepted_at;  ///< the last time
        bool counted = false;                               ///< among the accepted ones of this run
        bool off_chain = false;                             ///< it was accepted, and has left the best chain
        bool resubmitted = false;                           ///< because of that
        std::optional<BlockReply> refusal;                  ///< the last one
    };
    using EntryPtr = std::shared_ptr<Entry>;
    struct Queue {
        std::deque<EntryPtr> blocks;
        EntryPtr newest;        ///< at the last next_block()
        bool excluded = false;  ///< the node gets no blocks
    };

    void enqueue(const EntryPtr& entry) GPUMINER_REQUIRES(mutex_);
    /// No node is left for it. The journal still has it for a later run.
    void give_up(Entry& entry) GPUMINER_REQUIRES(mutex_);
    void count_accepted(Entry& entry, const BlockReply& reply) GPUMINER_REQUIRES(mutex_);
    void note_accepted(const EntryPtr& entry) GPUMINER_REQUIRES(mutex_);
    /// Once every node has answered: counts a block that none accepted.
    void count_refused(const Entry& entry) GPUMINER_REQUIRES(mutex_);
    /// Its height is mined again, if no other block of ours is there.
    void search_again(const Entry& entry, std::chrono::milliseconds pause) GPUMINER_REQUIRES(mutex_);
    /// Is a newer block on the same previous one in flight (or any accepted)?
    [[nodiscard]] bool has_newer_rival(const Entry& entry) const GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] bool has_rival(const Entry& entry) const GPUMINER_REQUIRES(mutex_);
    /// Has any node accepted it, so that a block on top of it may count some day?
    [[nodiscard]] bool is_taken(const Hash256& hash) const GPUMINER_REQUIRES(mutex_);
    void note_taken(const Hash256& hash) GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] bool has_enough() const GPUMINER_REQUIRES(mutex_);

    SoloState& state_;
    mutable Mutex mutex_;  ///< held while SoloState's is taken
    Condition changed_;
    std::deque<JobHit> finds_ GPUMINER_GUARDED_BY(mutex_);
    std::vector<Queue> queues_ GPUMINER_GUARDED_BY(mutex_);
    std::deque<EntryPtr> accepted_ GPUMINER_GUARDED_BY(mutex_);  ///< the last ones, in case that they leave the chain
    std::deque<Hash256> taken_ GPUMINER_GUARDED_BY(mutex_);      ///< blocks that some node accepted, the last ones
    WorkStatus counts_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer::net
