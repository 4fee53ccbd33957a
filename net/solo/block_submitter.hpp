// Found blocks: assembled, written to the journal, given to every node until each has replied.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "host/search/mining_job.hpp"
#include "net/node/node.hpp"
#include "net/solo/state.hpp"
#include "net/solo/template_job.hpp"

namespace gpuminer::net {

/// A block on its way to the nodes. SoloState::mutex guards what changes.
struct FoundBlock {
    Hash256 hash, previous;  ///< display order
    std::uint32_t height = 0;
    std::string hex, work_id;
    std::chrono::steady_clock::time_point found_at = std::chrono::steady_clock::now();

    std::size_t open = 0;   ///< nodes that have neither replied nor been given up
    bool answered = false;  ///< by any
    bool accepted = false;
    std::chrono::steady_clock::time_point accepted_at;  ///< the last time
    bool resubmitted = false;                           ///< because it had left the best chain
    std::optional<BlockReply> refusal;                  ///< the last one
};

class BlockSubmitter {
public:
    explicit BlockSubmitter(SoloState& shared);
    ~BlockSubmitter();
    BlockSubmitter(const BlockSubmitter&) = delete;
    BlockSubmitter& operator=(const BlockSubmitter&) = delete;

    /// Returns at once. A second block on the same previous one is dropped, while the first is under way or accepted.
    void found(const JobHit& found);
    /// Blocks of earlier runs on this chain: those that no node has answered go to all, the others to the nodes of that
    /// run that have not.
    void resume(Chain chain);
    /// The block of ours on this previous one that is said to be accepted, where the nodes have had time enough to give
    /// templates on top of it, and no newer one on the same is under way.
    [[nodiscard]] std::optional<Hash256> accepted_on(const Hash256& previous);
    /// It is not on the best chain (any more): its height is mined again, and the nodes get it once more.
    void left_the_chain(const Hash256& hash, const std::string& node_name);
    /// Until every node has answered for every block (true), but not longer than `patience`.
    bool finish(std::chrono::milliseconds patience);
    /// SoloState::stop is set: calls under way are to end now.
    void cancel();

private:
    struct Sender {
        Sender(const NodeAccess& access, std::size_t i) : node(access), index(i) {}
        Node node;
        std::size_t index;  ///< of the node
        std::deque<std::shared_ptr<FoundBlock>> blocks;
        bool asked_for_chain = false;  ///< of the sender's thread alone, as the next
        std::string last_trouble;      ///< so that nothing is said twice
        bool elsewhere = false;        ///< on another chain: it gets no blocks
        std::thread thread;
    };

    void assemble();
    void journal_and_send(const JobHit& found, const TemplateJob& job);
    /// For all nodes.
    void enqueue(const std::shared_ptr<FoundBlock>& block);
    /// `answers`: what nodes have said to it, by their names; "" stands for all of them.
    void resume_block(const nlohmann::json& entry, const std::map<std::string, bool>& answers);
    /// With SoloState::mutex held: it is accepted.
    void note_accepted(const std::shared_ptr<FoundBlock>& block);
    /// With SoloState::mutex held: is another block on the same previous one accepted, or a newer one under way?
    [[nodiscard]] bool has_rival(const FoundBlock& block) const;
    [[nodiscard]] bool has_newer_rival(const FoundBlock& block) const;
    /// With SoloState::mutex held: the search goes on on its previous block, if no other one of ours is there.
    void search_again(const FoundBlock& block);
    /// With SoloState::mutex held: some node has it, so that a block on top of it may count some day.
    [[nodiscard]] bool is_taken(const Hash256& hash) const;
    void note_taken(const Hash256& hash);

    enum class Sent {
        kDone,
        kNotReached,     ///< to be tried again, before any other
        kWithoutParent,  ///< to be tried again, but other blocks may go first
    };
    void send(Sender& sender);
    /// With SoloState::mutex held.
    [[nodiscard]] static std::shared_ptr<FoundBlock> next_of(const Sender& sender);
    Sent send_one(Sender& sender, const std::shared_ptr<FoundBlock>& block);
    /// RpcError where it cannot be reached; a node that does not tell is believed to be on ours.
    bool is_on_our_chain(Sender& sender);
    /// The node is given no block any more.
    void leave_out(Sender& sender);
    /// With SoloState::mutex held: no node is left for it. The journal still has it for a later run.
    void give_up(FoundBlock& block);
    /// The reply to submitblock, after a look at where the block stands.
    BlockReply submit(Sender& sender, const FoundBlock& block);
    /// May the block be accepted once the node has the one before it, which is ours?
    bool waits_for_parent(const Sender& sender, const FoundBlock& block, const BlockReply& reply);
    bool is_hopeless(const FoundBlock& block);
    void say_kept(Sender& sender, const FoundBlock& block, const std::string& why);
    void settle(const Sender& sender, const std::shared_ptr<FoundBlock>& shared_block, BlockReply reply);
    /// With SoloState::mutex held.
    void count(FoundBlock& block, const BlockReply& reply);
    void conclude(const FoundBlock& block);
    void write(const nlohmann::json& entry);

    SoloState& shared_;
    std::string chain_name_;                            // guarded by shared_.mutex, as the rest
    std::deque<JobHit> finds_;                          ///< not yet assembled
    std::size_t unsettled_ = 0;                         ///< blocks that no node has answered
    std::deque<std::shared_ptr<FoundBlock>> accepted_;  ///< the last ones, in case that they leave the chain
    std::deque<Hash256> taken_;                         ///< blocks that some node accepted, the last ones
    std::vector<std::unique_ptr<Sender>> senders_;
    std::thread assembler_;
};

}  // namespace gpuminer::net
