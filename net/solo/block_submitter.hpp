// Submission of found blocks: assembled, written to the journal, sent to every node until each has answered.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "net/journal/journal.hpp"
#include "net/solo/block_book.hpp"
#include "net/solo/block_sender.hpp"
#include "net/solo/state.hpp"
#include "net/solo/template_job.hpp"
#include "net/work_client.hpp"

namespace gpuminer::net {

class BlockSubmitter {
public:
    /// Opens the journal, and starts the thread that assembles blocks and one thread for each node. The destructor ends
    /// them, after what was found is in the journal (which waits for the disk a moment at most). Throws InputError
    /// where the journal cannot be opened.
    explicit BlockSubmitter(SoloState& state);

    /// Returns at once.
    void found(const JobHit& found) { book_.add_find(found); }
    /// Takes up the blocks of earlier runs on this chain: those that no node has answered go to all nodes, the others
    /// to those nodes of that run that have not answered. To be called now and then: where the disk was late, the
    /// journal has them later.
    void resume(Chain chain);
    /// Until every node has answered for every block (true), but not longer than `patience`.
    bool finish(std::chrono::milliseconds patience);
    /// The threads of the nodes and their calls end soon.
    void request_stop();
    /// After request_stop(): waits for all threads.
    void join();

    [[nodiscard]] BlockBook& book() { return book_; }
    /// The part of the status that is about blocks.
    [[nodiscard]] WorkStatus status() const;

private:
    void assemble(const std::stop_token& stop);
    /// Throws std::exception where the hit cannot be made a block.
    void journal_and_send(const JobHit& found);
    /// `answers`: to this block, by the nodes' names, true: accepted; "" stands for all of them.
    void resume_block(const nlohmann::json& entry, const std::map<std::string, bool>& answers);

    SoloState& state_;
    Journal journal_;
    BlockBook book_;
    std::vector<std::unique_ptr<BlockSender>> senders_;
    std::jthread assembler_;
};

}  // namespace gpuminer::net
