#include "net/solo/block_submitter.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "host/block/checker.hpp"
#include "host/block/format.hpp"
#include "host/block/text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

// Whatever is wrong with a block would be wrong with the next one: not many a second.
constexpr auto kPauseAfterTrouble = std::chrono::seconds(1);
constexpr std::size_t kRemembered = 64;  // blocks of ours

}  // namespace

BlockSubmitter::BlockSubmitter(SoloState& shared) : shared_(shared) {
    for (std::size_t i = 0; i < shared.nodes.size(); ++i) {
        senders_.push_back(std::make_unique<Sender>(shared.nodes[i], i));
    }
    for (auto& sender : senders_) sender->thread = std::thread([this, &s = *sender] { send(s); });
    assembler_ = std::thread([this] { assemble(); });
}

BlockSubmitter::~BlockSubmitter() {
    {
        const std::lock_guard lock(shared_.mutex);
        shared_.stop = true;
    }
    shared_.changed.notify_all();
    cancel();
    for (auto& sender : senders_) sender->thread.join();
    assembler_.join();
}

void BlockSubmitter::cancel() {
    for (auto& sender : senders_) sender->node.cancel();
}

void BlockSubmitter::found(const JobHit& found) {
    const Hash256 previous = found.hit.header.previous_hash();
    {
        const std::lock_guard lock(shared_.mutex);
        shared_.ended_job = found.job;  // whatever becomes of it: the devices wait for another one now
        if (shared_.over || shared_.is_solved(previous)) return;
        if (shared_.options.blocks && shared_.status.accepted + unsettled_ >= *shared_.options.blocks) return;
        shared_.solved.push_back(previous);
        if (shared_.solved.size() > kRemembered) shared_.solved.pop_front();
        finds_.push_back(found);
        ++shared_.status.unanswered;
        ++unsettled_;
    }
    shared_.changed.notify_all();
}

void BlockSubmitter::assemble() {
    std::unique_lock lock(shared_.mutex);
    while (true) {
        shared_.changed.wait(lock, [&] { return shared_.stop || !finds_.empty(); });
        if (finds_.empty()) return;           // those that are left are written down even now
        const JobHit found = finds_.front();  // it stays there until it is with the nodes
        lock.unlock();
        try {
            journal_and_send(found, dynamic_cast<const TemplateJob&>(*found.job));
        } catch (const std::exception& error) {
            shared_.say(Severity::kWarning, fmt::format("the block that was found is lost: {}", error.what()));
            lock.lock();
            std::erase(shared_.solved, found.hit.header.previous_hash());
            shared_.template_wanted = true;
            shared_.not_before = steady_clock::now() + kPauseAfterTrouble;
            --shared_.status.unanswered;
            --unsettled_;
            lock.unlock();
            shared_.changed.notify_all();
        }
        lock.lock();
        finds_.pop_front();
    }
}

void BlockSubmitter::journal_and_send(const JobHit& found, const TemplateJob& job) {
    const Checked checked = check(found.hit.header, job.target());
    if (checked.verdict != Verdict::hit) throw std::runtime_error("its hash is above the target");
    const auto block = std::make_shared<FoundBlock>();
    block->hash = checked.hash;
    block->previous = found.hit.header.previous_hash();
    block->height = job.block_template().height;
    block->hex = job.block_hex(found);
    block->work_id = job.block_template().work_id;
    shared_.say(Severity::kInfo, fmt::format("block {} found: {}", block->height, block->hash.hex()));
    json nodes = json::array();
    for (const auto& sender : senders_) nodes.push_back(sender->node.name());
    try {
        write({{"event", "block"},
               {"chain", chain_name_},
               {"hash", block->hash.hex()},
               {"height", block->height},
               {"block", block->hex},
               {"work_id", block->work_id},
               {"nodes", std::move(nodes)},
               {"time", std::time(nullptr)}});
    } catch (const InputError& error) {  // a full disk is no reason to throw the block away
        shared_.say(Severity::kWarning, error.what());
    }
    {
        const std::lock_guard lock(shared_.mutex);
        auto& best = shared_.status.best_difficulty;
        best = std::max(best, difficulty_of(block->hash));
    }
    enqueue(block);
}

void BlockSubmitter::enqueue(const std::shared_ptr<FoundBlock>& block) {
    {
        const std::lock_guard lock(shared_.mutex);
        for (auto& sender : senders_) {
            auto& blocks = sender->blocks;
            if (std::find(blocks.begin(), blocks.end(), block) != blocks.end()) continue;  // it is being tried
            if (sender->elsewhere) continue;
            blocks.push_back(block);
            ++block->open;
        }
        if (block->open == 0) give_up(*block);
    }
    shared_.changed.notify_all();
}

void BlockSubmitter::settle(const Sender& sender, const std::shared_ptr<FoundBlock>& shared_block, BlockReply reply) {
    FoundBlock& block = *shared_block;
    const bool accepted = reply.verdict == SubmitVerdict::kAccepted;
    try {
        write({{"event", "submitted"},
               {"hash", block.hash.hex()},
               {"node", sender.node.name()},
               {"accepted", accepted},
               {"reason", reply.reason},
               {"time", std::time(nullptr)}});
    } catch (const InputError& error) {
        shared_.say(Severity::kWarning, error.what());
    }
    if (accepted) {
        shared_.say(Severity::kInfo, fmt::format("block {} is accepted by {}", block.height, sender.node.name()));
    } else {
        shared_.say(Severity::kWarning, fmt::format("block {} is refused by {}: {} ({})", block.height,
                                                    sender.node.name(), reply.words, reply.reason));
    }
    {
        const std::lock_guard lock(shared_.mutex);
        --block.open;
        if (!std::exchange(block.answered, true)) {
            --shared_.status.unanswered;
            --unsettled_;
        }
        if (accepted) {
            count(block, reply);
            note_accepted(shared_block);
        }
        // The search goes on where it was, unless another node is still to answer: it may take the block.
        const bool from_giver = sender.node.name() == shared_.status.server;
        if (!accepted && !block.accepted && (from_giver || block.open == 0)) {
            search_again(block);
            if (reply.verdict == SubmitVerdict::kRejected) {
                shared_.not_before = steady_clock::now() + kPauseAfterTrouble;
            }
        }
        if (!accepted) block.refusal = std::move(reply);
    }
    conclude(block);
}

void BlockSubmitter::count(FoundBlock& block, const BlockReply& reply) {
    if (std::exchange(block.accepted, true)) return;
    // "duplicate" and the like: the same block was found once more, and the chain has not grown by it.
    if (!reply.reason.empty() && is_taken(block.hash)) return;
    ++shared_.status.accepted;
    ++shared_.status.blocks;
    shared_.status.accepted_difficulty += shared_.status.network_difficulty;
}

void BlockSubmitter::conclude(const FoundBlock& block) {
    bool enough = false;
    {
        const std::lock_guard lock(shared_.mutex);
        if (block.open == 0 && !block.accepted && block.refusal) {
            const bool stale = block.refusal->verdict == SubmitVerdict::kStale;
            ++(stale ? shared_.status.stale : shared_.status.rejected);
            ++shared_.status.reject_reasons[block.refusal->reason];
        }
        enough = shared_.options.blocks && shared_.status.accepted >= *shared_.options.blocks;
    }
    shared_.changed.notify_all();
    if (enough) shared_.end(Outcome::kEnough, "");
}

bool BlockSubmitter::finish(std::chrono::milliseconds patience) {
    std::unique_lock lock(shared_.mutex);
    return shared_.changed.wait_for(lock, patience, [&] {
        const auto is_idle = [](const auto& sender) { return sender->blocks.empty(); };
        return unsettled_ == 0 && std::all_of(senders_.begin(), senders_.end(), is_idle);
    });
}

void BlockSubmitter::write(const json& entry) {
    const std::lock_guard lock(shared_.journal_mutex);
    shared_.journal.append(entry);
}

}  // namespace gpuminer::net
