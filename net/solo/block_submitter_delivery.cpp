// The part of BlockSubmitter that gives the blocks to one node: which one first, how often, and which not at all.
#include <algorithm>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "net/solo/block_submitter.hpp"

namespace gpuminer::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstPause(500);                  // between attempts
constexpr auto kLongestPause = std::chrono::seconds(15);  // between attempts
constexpr auto kTryFor = std::chrono::minutes(10);        // at least
constexpr std::uint32_t kBuried = 6;                      // blocks on top of another one at its height

/// The node cannot say anything now, but may do so later.
bool is_away(RpcFailure failure) {
    return failure == RpcFailure::kUnreachable || failure == RpcFailure::kTimeout ||
           failure == RpcFailure::kWarmingUp || failure == RpcFailure::kCancelled;
}

}  // namespace

void BlockSubmitter::send(Sender& sender) {
    std::unique_lock lock(shared_.mutex);
    milliseconds pause = kFirstPause;
    while (true) {
        shared_.changed.wait(lock, [&] { return shared_.stop || !sender.blocks.empty(); });
        if (shared_.stop) return;
        auto& blocks = sender.blocks;
        const auto block = next_of(sender);
        const auto newest = blocks.back();
        lock.unlock();
        const Sent sent = send_one(sender, block);
        lock.lock();
        if (sent == Sent::kDone) {
            std::erase(blocks, block);
            shared_.changed.notify_all();
            pause = kFirstPause;
            continue;
        }
        if (blocks.back() != newest) continue;  // there is a newer one meanwhile
        // So that it does not stand in the way of older ones: this node takes blocks, only not this one yet.
        if (sent == Sent::kWithoutParent) std::rotate(blocks.begin(), blocks.end() - 1, blocks.end());
        const auto last = blocks.back();
        shared_.changed.wait_for(lock, pause, [&] { return shared_.stop || blocks.back() != last; });
        pause = std::min<milliseconds>(2 * pause, kLongestPause);
    }
}

std::shared_ptr<FoundBlock> BlockSubmitter::next_of(const Sender& sender) {
    // The newest first: it is the one for which every moment counts. But no node takes a block before its parent, and
    // what it says to one without is final. Parents were found, and queued, before their children.
    auto next = sender.blocks.back();
    for (auto earlier = sender.blocks.rbegin(); earlier != sender.blocks.rend(); ++earlier) {
        if ((*earlier)->hash == next->previous) next = *earlier;
    }
    return next;
}

BlockSubmitter::Sent BlockSubmitter::send_one(Sender& sender, const std::shared_ptr<FoundBlock>& block) {
    try {
        if (!is_on_our_chain(sender)) {
            leave_out(sender);
            return Sent::kDone;
        }
        BlockReply reply = submit(sender, *block);
        if (waits_for_parent(sender, *block, reply)) {
            say_kept(sender, *block, fmt::format("{} says {}", sender.node.name(), reply.reason));
            return Sent::kWithoutParent;
        }
        sender.last_trouble.clear();
        settle(sender, block, std::move(reply));
        return Sent::kDone;
    } catch (const RpcError& error) {
        if (error.failure == RpcFailure::kCancelled) return Sent::kNotReached;
        sender.asked_for_chain = false;  // another node may be there when it comes back
        if (error.failure == RpcFailure::kNoMethod || is_hopeless(*block)) {
            settle(sender, block, {SubmitVerdict::kRejected, "unreachable", error.what()});
            return Sent::kDone;
        }
        say_kept(sender, *block, error.what());
        return Sent::kNotReached;
    }
}

bool BlockSubmitter::is_on_our_chain(Sender& sender) {
    if (sender.asked_for_chain) return true;
    ChainInfo info;
    try {
        info = sender.node.chain_info();
    } catch (const RpcError& error) {
        if (is_away(error.failure)) throw;
        sender.asked_for_chain = true;  // it may not tell, but may take blocks
        return true;
    }
    std::string ours;
    {
        const std::lock_guard lock(shared_.mutex);
        ours = chain_name_;
    }
    sender.asked_for_chain = true;
    if (info.chain && name_of(*info.chain) == ours) return true;
    const std::string theirs = info.chain ? std::string(name_of(*info.chain)) : quoted_text(info.name);
    shared_.say(Severity::kWarning,
                fmt::format("{} is on chain {}, not {}: it gets no blocks", sender.node.name(), theirs, ours));
    return false;
}

void BlockSubmitter::leave_out(Sender& sender) {
    std::deque<std::shared_ptr<FoundBlock>> left;
    {
        const std::lock_guard lock(shared_.mutex);
        sender.elsewhere = true;
        left.swap(sender.blocks);
        for (const auto& block : left) {
            if (--block->open == 0) give_up(*block);
        }
    }
    for (const auto& block : left) conclude(*block);
}

void BlockSubmitter::give_up(FoundBlock& block) {
    if (!std::exchange(block.answered, true)) {
        --shared_.status.unanswered;
        --unsettled_;
    }
    if (!block.accepted) search_again(block);
}

BlockReply BlockSubmitter::submit(Sender& sender, const FoundBlock& block) {
    BlockReply reply = sender.node.submit_block(block.hex, block.work_id);
    if (reply.verdict != SubmitVerdict::kAccepted) return reply;
    shared_.want_template();  // first of all; the rest can wait
    try {
        if (sender.node.standing(block.hash) == ChainPosition::kSideChain) {
            return {SubmitVerdict::kStale, "orphaned", "another block came first"};
        }
    } catch (const RpcError&) {  // it may not tell, or is gone: what it has said of the block holds
    }
    return reply;
}

bool BlockSubmitter::waits_for_parent(const Sender& sender, const FoundBlock& block, const BlockReply& reply) {
    if (reply.reason != "prev-blk-not-found" && reply.reason != "inconclusive") return false;
    {
        const std::lock_guard lock(shared_.mutex);
        const bool queued = std::any_of(sender.blocks.begin(), sender.blocks.end(),
                                        [&](const auto& other) { return other->hash == block.previous; });
        if (!queued && !is_taken(block.previous)) return false;
    }
    return !is_hopeless(block);
}

bool BlockSubmitter::is_hopeless(const FoundBlock& block) {
    const std::lock_guard lock(shared_.mutex);
    return shared_.height > block.height + kBuried && steady_clock::now() - block.found_at > kTryFor;
}

void BlockSubmitter::say_kept(Sender& sender, const FoundBlock& block, const std::string& why) {
    if (std::exchange(sender.last_trouble, why) == why) return;
    shared_.say(Severity::kWarning, fmt::format("block {} is kept and tried again: {}", block.height, why));
}

}  // namespace gpuminer::net
