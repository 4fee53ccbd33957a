// Submission of found blocks to one node, repeated until it has answered.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "net/journal/journal.hpp"
#include "net/node/node.hpp"
#include "net/solo/block_book.hpp"
#include "net/solo/state.hpp"

namespace gpuminer::net {

/// On the loop's thread.
class BlockSender {
public:
    /// References outlive it. `node`: its number in state.nodes. Throws InputError for a certificate file that cannot
    /// be used.
    BlockSender(SoloState& state, OffLoop& off_loop, BlockBook& book, Journal& journal, std::size_t node);

    /// The node's queue has a further block.
    void queued();
    /// The call in flight is dropped, and no more are made.
    void stop();
    [[nodiscard]] std::string name() const { return node_.name(); }

private:
    /// Sends the next block of the queue, if there is one.
    void send_next();
    /// A node that does not tell its chain is believed to be on ours.
    void ask_for_chain();
    [[nodiscard]] bool is_on_our_chain(const ChainInfo& info) const;
    void submit();
    /// Looks where the block stands before it believes that it is accepted.
    void verify_acceptance(const BlockReply& reply);
    void take(const BlockReply& reply);
    void failed(const RpcError& error);
    void retry();
    /// May the block be accepted once the node has the one before it, which is ours?
    [[nodiscard]] bool waits_for_parent(const BlockReply& reply) const;
    [[nodiscard]] bool is_hopeless() const;
    void say_kept(const std::string& why);
    void settle(const BlockReply& reply);

    SoloState& state_;
    BlockBook& book_;
    Journal& journal_;
    const std::size_t index_;
    Node node_;
    Timer retry_;
    bool stopped_ = false;
    bool asked_for_chain_ = false;
    FoundBlockPtr block_;                 ///< that is being sent; null: none
    std::optional<BlockReply> accepted_;  ///< the node's reply to it, while where it stands is looked at
    std::chrono::milliseconds pause_;
    std::string last_trouble_;  ///< so that nothing is said twice
};

}  // namespace gpuminer::net
