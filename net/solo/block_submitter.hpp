// Submission of found blocks: assembled, written to the journal, sent to every node until each has answered.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "net/journal/journal.hpp"
#include "net/solo/block_book.hpp"
#include "net/solo/block_sender.hpp"
#include "net/solo/state.hpp"
#include "net/transport/off_loop.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

/// On the loop's thread.
class BlockSubmitter {
public:
    /// References outlive it. Throws InputError for a certificate file that cannot be used.
    BlockSubmitter(SoloState& state, OffLoop& off_loop, Journal& journal);

    /// Assembles the block off the loop, where it also goes into the journal's queue.
    void take(const JobHit& found);
    /// Takes up the blocks of earlier runs on this chain: those that no node has answered go to all nodes, the others
    /// to those nodes of that run that have not answered. To be called now and then: where the disk was late, the
    /// journal has them later.
    void resume(Chain chain);
    /// Sends what the journal has released. To be called after a change of its releases.
    void send_released();
    /// The calls in flight are dropped, and no more are made.
    void stop();

    /// Every find is a block in the nodes' queues.
    [[nodiscard]] bool assembled() const { return assembling_ == 0 && unreleased_.empty(); }
    [[nodiscard]] BlockBook& book() { return book_; }
    [[nodiscard]] const BlockBook& book() const { return book_; }

private:
    /// A block whose journal entry is on its way to the disk.
    struct Unreleased {
        const JobHit* find;
        FoundBlockPtr block;
        JournalTicket written;
    };
    /// `answers`: to this block, by the nodes' names, true: accepted; "" stands for all of them.
    void resume_block(const nlohmann::json& entry, const std::map<std::string, bool>& answers);

    SoloState& state_;
    OffLoop& off_loop_;
    Journal& journal_;
    BlockBook book_;
    std::vector<std::unique_ptr<BlockSender>> senders_;
    unsigned assembling_ = 0;
    std::list<Unreleased> unreleased_;
    Timer release_;
};

}  // namespace gpuminer::net
