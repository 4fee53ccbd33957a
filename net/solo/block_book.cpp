#include "net/solo/block_book.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace gpuminer::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Whatever is wrong with a block would be wrong with the next one: not many a second.
constexpr milliseconds kPauseAfterTrouble(1000);
constexpr std::size_t kAcceptedKept = 8;                  // whole blocks: some megabytes each
constexpr std::size_t kTakenKept = 1024;                  // hashes
constexpr auto kTimeToCatchUp = std::chrono::seconds(3);  // of a node that gives templates, after another one accepted

}  // namespace

BlockBook::BlockBook(SoloState& state) : state_(state), queues_(state.nodes.access.size()) {}

void BlockBook::add_find(const JobHit& found) {
    {
        const MutexLock lock(mutex_);
        state_.note_ended(found.job);  // whatever becomes of it: the devices wait for another one now
        const auto& most = state_.options.blocks;
        if (most && counts_.accepted + counts_.unanswered >= *most) return;
        if (!state_.reserve(found.hit.header.previous_hash())) return;
        finds_.push_back(found);
        ++counts_.unanswered;
    }
    changed_.notify_all();
}

std::optional<JobHit> BlockBook::next_find(const std::stop_token& stop) {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, stop, [this]() GPUMINER_REQUIRES(mutex_) { return !finds_.empty(); });
    return finds_.empty() ? std::nullopt : std::optional(finds_.front());
}

void BlockBook::end_find() {
    const MutexLock lock(mutex_);
    finds_.pop_front();
}

void BlockBook::lose_find() {
    {
        const MutexLock lock(mutex_);
        state_.release(finds_.front().hit.header.previous_hash());
        state_.want_template_after(kPauseAfterTrouble);
        finds_.pop_front();
        --counts_.unanswered;
    }
    changed_.notify_all();
}

void BlockBook::add(const FoundBlockPtr& block) {
    const auto entry = std::make_shared<Entry>();
    entry->block = block;
    const MutexLock lock(mutex_);
    enqueue(entry);
}

void BlockBook::resume(const FoundBlockPtr& block, const std::vector<std::size_t>& nodes, bool answered,
                       bool accepted) {
    const auto entry = std::make_shared<Entry>();
    entry->block = block;
    entry->answered = answered;
    entry->accepted = accepted;
    {
        const MutexLock lock(mutex_);
        if (accepted) note_taken(block->hash);
        for (const std::size_t node : nodes) {
            if (queues_[node].excluded) continue;
            queues_[node].blocks.push_back(entry);
            ++entry->open;
        }
        if (entry->open == 0) return;
        if (!answered) {
            ++counts_.unanswered;
            // A node may have accepted it, and its answer got lost: a second block at its height would be a rival.
            // (Where a node has answered, the template shows it.)
            if (block->previous != Hash256{}) state_.reserve(block->previous);
        }
    }
    state_.say(Severity::kInfo,
               fmt::format("block {} of an earlier run was {}, and is submitted again: {}", block->height,
                           answered ? "not answered by every node" : "never answered", block->hash.hex()));
    changed_.notify_all();
}

void BlockBook::enqueue(const EntryPtr& entry) {
    for (Queue& queue : queues_) {
        if (queue.excluded || std::ranges::find(queue.blocks, entry) != queue.blocks.end()) continue;
        queue.blocks.push_back(entry);
        ++entry->open;
    }
    if (entry->open == 0) give_up(*entry);
    changed_.notify_all();
}

void BlockBook::give_up(Entry& entry) {
    if (!std::exchange(entry.answered, true)) --counts_.unanswered;
    if (!entry.accepted) search_again(entry, milliseconds(0));
}

FoundBlockPtr BlockBook::next_block(const std::stop_token& stop, std::size_t node) {
    const MutexLock lock(mutex_);
    Queue& queue = queues_[node];
    changed_.wait(mutex_, stop, [&queue] { return !queue.blocks.empty(); });
    if (stop.stop_requested()) return nullptr;
    // The newest first: it is the one for which every moment counts. But no node takes a block before its parent, and
    // its answer to one without is final. Parents were found, and queued, before their children.
    EntryPtr next = queue.newest = queue.blocks.back();
    for (auto earlier = queue.blocks.rbegin(); earlier != queue.blocks.rend(); ++earlier) {
        if ((*earlier)->block->hash == next->block->previous) next = *earlier;
    }
    return next->block;
}

bool BlockBook::wait_to_retry(const std::stop_token& stop, std::size_t node, milliseconds pause, bool newest_last) {
    const MutexLock lock(mutex_);
    Queue& queue = queues_[node];
    auto& blocks = queue.blocks;
    if (blocks.back() != queue.newest) return false;
    // So that it does not stand in the way of older ones: this node takes blocks, only not this one yet.
    if (newest_last) std::rotate(blocks.begin(), blocks.end() - 1, blocks.end());
    const EntryPtr last = blocks.back();
    changed_.wait_for(mutex_, stop, pause, [&] { return blocks.back() != last; });
    return true;
}

void BlockBook::settle(std::size_t node, const FoundBlock& block, const BlockReply& reply, bool from_giver) {
    bool enough = false;
    {
        const MutexLock lock(mutex_);
        auto& blocks = queues_[node].blocks;
        const auto place =
            std::ranges::find_if(blocks, [&](const auto& other) { return other->block.get() == &block; });
        const EntryPtr entry = *place;
        blocks.erase(place);
        --entry->open;
        if (!std::exchange(entry->answered, true)) --counts_.unanswered;
        if (reply.verdict == SubmitVerdict::kAccepted) {
            count_accepted(*entry, reply);
            note_accepted(entry);
        } else {
            entry->refusal = reply;
            // Mining goes on where it was, unless another node is still to answer: it may take the block.
            if (!entry->accepted && (from_giver || entry->open == 0)) {
                const bool rejected = reply.verdict == SubmitVerdict::kRejected;
                search_again(*entry, rejected ? kPauseAfterTrouble : milliseconds(0));
            }
        }
        count_refused(*entry);
        enough = has_enough();
    }
    changed_.notify_all();
    if (enough) state_.end(Outcome::kEnough, "");
}

void BlockBook::count_accepted(Entry& entry, const BlockReply& reply) {
    if (std::exchange(entry.off_chain, false) && entry.counted) ++counts_.blocks;
    if (std::exchange(entry.accepted, true)) return;
    // "duplicate" and the like: the same block was found once more, and the chain has not grown by it.
    if (!reply.reason.empty() && is_taken(entry.block->hash)) return;
    entry.counted = true;
    ++counts_.accepted;
    ++counts_.blocks;
    counts_.accepted_difficulty += state_.network_difficulty();
}

void BlockBook::note_accepted(const EntryPtr& entry) {
    entry->accepted_at = steady_clock::now();
    note_taken(entry->block->hash);
    if (entry->resubmitted) state_.reserve(entry->block->previous);
    if (std::ranges::find(accepted_, entry) != accepted_.end()) return;
    accepted_.push_back(entry);
    if (accepted_.size() <= kAcceptedKept) return;
    // Should the chain ever go back so far, then without it.
    state_.release(accepted_.front()->block->previous);
    accepted_.pop_front();
}

void BlockBook::count_refused(const Entry& entry) {
    if (entry.open != 0 || entry.accepted || !entry.refusal) return;
    ++(entry.refusal->verdict == SubmitVerdict::kStale ? counts_.stale : counts_.rejected);
    ++counts_.reject_reasons[entry.refusal->reason];
    counts_.refusals.add(entry.refusal->kind());
}

void BlockBook::exclude(std::size_t node) {
    {
        const MutexLock lock(mutex_);
        queues_[node].excluded = true;
        for (const EntryPtr& entry : std::exchange(queues_[node].blocks, {})) {
            if (--entry->open == 0) give_up(*entry);
            count_refused(*entry);
        }
    }
    changed_.notify_all();
}

bool BlockBook::knows_parent(std::size_t node, const FoundBlock& block) const {
    const MutexLock lock(mutex_);
    const auto is_parent = [&](const EntryPtr& other) { return other->block->hash == block.previous; };
    return std::ranges::any_of(queues_[node].blocks, is_parent) || is_taken(block.previous);
}

void BlockBook::search_again(const Entry& entry, milliseconds pause) {
    if (!has_rival(entry)) state_.release(entry.block->previous);
    state_.want_template_after(pause);
}

bool BlockBook::has_newer_rival(const Entry& entry) const {
    const FoundBlock& block = *entry.block;
    const auto is_rival = [&](const EntryPtr& other) {
        return other.get() != &entry && other->block->previous == block.previous &&
               other->block->found_at > block.found_at;
    };
    const auto is_found = [&](const JobHit& find) {
        return find.hit.hash != block.hash && find.hit.header.previous_hash() == block.previous;
    };
    return std::ranges::any_of(finds_, is_found) || std::ranges::any_of(queues_, [&](const Queue& queue) {
               return std::ranges::any_of(queue.blocks, is_rival);
           });
}

bool BlockBook::has_rival(const Entry& entry) const {
    return has_newer_rival(entry) || std::ranges::any_of(accepted_, [&](const EntryPtr& other) {
               return other.get() != &entry && other->block->previous == entry.block->previous;
           });
}

bool BlockBook::is_taken(const Hash256& hash) const { return std::ranges::find(taken_, hash) != taken_.end(); }

void BlockBook::note_taken(const Hash256& hash) {
    if (is_taken(hash)) return;
    taken_.push_back(hash);
    if (taken_.size() > kTakenKept) taken_.pop_front();
}

std::optional<Hash256> BlockBook::accepted_on(const Hash256& previous) const {
    const MutexLock lock(mutex_);
    const auto entry = std::find_if(accepted_.rbegin(), accepted_.rend(),
                                    [&](const EntryPtr& accepted) { return accepted->block->previous == previous; });
    if (entry == accepted_.rend() || !state_.is_reserved(previous)) return std::nullopt;
    if (steady_clock::now() - (*entry)->accepted_at < kTimeToCatchUp || has_newer_rival(**entry)) return std::nullopt;
    return (*entry)->block->hash;
}

void BlockBook::left_the_chain(const Hash256& hash, const std::string& node_name) {
    MutexLock lock(mutex_);
    const auto place =
        std::ranges::find_if(accepted_, [&](const EntryPtr& accepted) { return accepted->block->hash == hash; });
    if (place == accepted_.end()) return;
    const EntryPtr entry = *place;
    accepted_.erase(place);  // until a node takes it again
    std::erase(taken_, hash);
    entry->off_chain = true;
    if (entry->counted) --counts_.blocks;
    if (!has_rival(*entry)) state_.release(entry->block->previous);
    const bool again = !std::exchange(entry->resubmitted, true);
    lock.unlock();
    state_.say(Severity::kWarning,
               fmt::format("block {} was accepted, but is not on the best chain of {}; its height is mined again{}",
                           entry->block->height, node_name, again ? ", and the block is submitted once more" : ""));
    lock.lock();
    if (again) enqueue(entry);
}

bool BlockBook::has_enough() const { return state_.options.blocks && counts_.accepted >= *state_.options.blocks; }

bool BlockBook::wait_until_idle(milliseconds patience) {
    const MutexLock lock(mutex_);
    return changed_.wait_for(mutex_, patience, [this]() GPUMINER_REQUIRES(mutex_) {
        return counts_.unanswered == 0 &&
               std::ranges::all_of(queues_, [](const Queue& queue) { return queue.blocks.empty(); });
    });
}

WorkStatus BlockBook::counts() const {
    const MutexLock lock(mutex_);
    return counts_;
}

}  // namespace gpuminer::net
