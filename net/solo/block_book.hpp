// The book of found blocks: the answers still expected from each node, the accepted blocks, their counts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/search/mining_job.hpp"
#include "net/node/submit_reasons.hpp"
#include "net/solo/state.hpp"
#include "net/steady_time.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

/// A block as it is submitted.
struct FoundBlock {
    Hash256 hash, previous;  ///< display order; `previous` is zero where it is not known
    std::uint32_t height = 0;
    std::string params;  ///< of submitblock
    SteadyTime found_at = steady_now();
};
using FoundBlockPtr = std::shared_ptr<const FoundBlock>;

/// On the loop's thread. Nodes are numbered as in SoloState::nodes.
class BlockBook {
public:
    /// `queued` is called, at once, with the number of a node whose queue has a further block.
    BlockBook(SoloState& state, std::function<void(std::size_t node)> queued);

    // Finds: hits that are not assembled yet.

    /// Null: it is dropped, as another block on the same previous one is in flight or accepted, or there are enough.
    [[nodiscard]] const JobHit* add_find(const JobHit& found);
    /// The find is a block now, and goes into the queues of all nodes.
    void add(const JobHit* find, const FoundBlockPtr& block);
    /// The find cannot be made a block: its height is mined again.
    void lose_find(const JobHit* find);

    // Blocks:

    /// Puts a block of an earlier run into the queues of `nodes`. `answered`, `accepted`: by other nodes.
    void resume(const FoundBlockPtr& block, const std::vector<std::size_t>& nodes, bool answered, bool accepted);
    /// The block of ours on this previous one that is said to be accepted, where the nodes have had time enough to give
    /// templates on top of it, and no newer one on the same is in flight.
    [[nodiscard]] std::optional<Hash256> accepted_on(const Hash256& previous) const;
    /// An accepted block is not on the best chain of this node (any more): its height is mined again. `lost`: the node
    /// does not know it any more (after a crash), and gets it once more where it had accepted it.
    void left_the_chain(const Hash256& hash, std::size_t node, const std::string& node_name, bool lost);

    // The queue of one node:

    /// The newest block goes first, but after its parent. Null: there is none.
    [[nodiscard]] FoundBlockPtr next_block(std::size_t node);
    /// After a failed attempt. `newest_last`: older ones go first. False: there is a newer block, not to be kept
    /// waiting.
    [[nodiscard]] bool may_wait(std::size_t node, bool newest_last);
    /// The node's answer. `from_giver`: it is the node that gives the templates.
    void settle(std::size_t node, const FoundBlock& block, const BlockReply& reply, bool from_giver);
    /// The node is given no block any more.
    void exclude(std::size_t node);
    /// Whether the block's parent is one of ours that is in the node's queue, or accepted by some node.
    [[nodiscard]] bool knows_parent(std::size_t node, const FoundBlock& block) const;

    /// Every node has answered for every block.
    [[nodiscard]] bool idle() const;
    /// The part of the status that is about blocks.
    [[nodiscard]] const WorkStatus& counts() const { return counts_; }

private:
    struct Entry {
        FoundBlockPtr block;
        std::size_t open = 0;               ///< nodes that have neither answered nor been excluded
        bool answered = false;              ///< by any
        bool accepted = false;              ///< by any
        SteadyTime accepted_at{};           ///< the last time
        bool counted = false;               ///< among the accepted ones of this run
        bool off_chain = false;             ///< it was accepted, and has left the best chain
        bool resubmitted = false;           ///< because of that
        std::vector<std::size_t> takers;    ///< nodes that accepted it
        std::optional<BlockReply> refusal;  ///< the last one
    };
    using EntryPtr = std::shared_ptr<Entry>;
    struct Queue {
        std::deque<EntryPtr> blocks;
        EntryPtr newest;        ///< at the last next_block()
        bool excluded = false;  ///< the node gets no blocks
    };

    void end_find(const JobHit* find);
    void enqueue(const EntryPtr& entry, const std::vector<std::size_t>& nodes);
    /// No node is left for it. The journal still has it for a later run.
    void give_up(Entry& entry);
    void count_accepted(Entry& entry, const BlockReply& reply);
    void note_accepted(const EntryPtr& entry);
    /// Once every node has answered: counts a block that none accepted.
    void count_refused(const Entry& entry);
    /// Its height is mined again, if no other block of ours is there.
    void search_again(const Entry& entry, std::chrono::milliseconds pause);
    /// Is a newer block on the same previous one in flight (or any accepted)?
    [[nodiscard]] bool has_newer_rival(const Entry& entry) const;
    [[nodiscard]] bool has_rival(const Entry& entry) const;
    /// Has any node accepted it, so that a block on top of it may count some day?
    [[nodiscard]] bool is_taken(const Hash256& hash) const;
    void note_taken(const Hash256& hash);
    [[nodiscard]] bool has_enough() const;

    SoloState& state_;
    const std::function<void(std::size_t node)> queued_;
    std::list<JobHit> finds_;
    std::vector<Queue> queues_;
    std::deque<EntryPtr> accepted_;  ///< the last ones, in case that they leave the chain
    std::deque<Hash256> taken_;      ///< blocks that some node accepted, the last ones
    WorkStatus counts_;
};

}  // namespace gpuminer::net
