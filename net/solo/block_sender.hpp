// The thread that submits found blocks to one node, and repeats failed submissions.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <thread>

#include "net/journal/journal.hpp"
#include "net/node/node.hpp"
#include "net/solo/block_book.hpp"
#include "net/solo/state.hpp"

namespace gpuminer::net {

class BlockSender {
public:
    /// Starts the thread. The destructor ends it, and its call. `node`: its number in state.nodes.
    BlockSender(SoloState& state, BlockBook& book, Journal& journal, std::size_t node);

    /// The thread and its call end soon.
    void request_stop() { thread_.request_stop(); }
    /// After request_stop().
    void join() { thread_ = {}; }
    [[nodiscard]] std::string name() const { return node_.name(); }

private:
    enum class Sent {
        kDone,
        kNotReached,     ///< to be tried again, before any other
        kBusy,           ///< so, too, and soon
        kWithoutParent,  ///< to be tried again, but other blocks may go first
    };
    void run(const std::stop_token& stop);
    Sent send(const FoundBlock& block);
    /// A node that does not tell its chain is believed to be on ours. Throws RpcError where it cannot be reached.
    bool is_on_our_chain();
    /// The reply to submitblock, after a look at where the block stands. Throws RpcError.
    BlockReply submit(const FoundBlock& block);
    /// May the block be accepted once the node has the one before it, which is ours?
    [[nodiscard]] bool waits_for_parent(const FoundBlock& block, const BlockReply& reply) const;
    [[nodiscard]] bool is_hopeless(const FoundBlock& block) const;
    void say_kept(const FoundBlock& block, const std::string& why);
    void settle(const FoundBlock& block, const BlockReply& reply);

    SoloState& state_;
    BlockBook& book_;
    Journal& journal_;
    const std::size_t index_;
    Node node_;
    bool asked_for_chain_ = false;
    std::string last_trouble_;  ///< so that nothing is said twice
    std::jthread thread_;
};

}  // namespace gpuminer::net
