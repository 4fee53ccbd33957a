#include "net/solo/block_book.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace gpuminer::net {
namespace {

using std::chrono::milliseconds;

// Whatever is wrong with a block would be wrong with the next one: not many a second.
constexpr milliseconds kPauseAfterTrouble(1000);
constexpr std::size_t kAcceptedKept = 8;                  // whole blocks: some megabytes each
constexpr std::size_t kTakenKept = 1024;                  // hashes
constexpr auto kTimeToCatchUp = std::chrono::seconds(3);  // of a node that gives templates, after another one accepted

}  // namespace

BlockBook::BlockBook(SoloState& state, std::function<void(std::size_t node)> queued)
    : state_(state), queued_(std::move(queued)), queues_(state.nodes.access.size()) {}

const JobHit* BlockBook::add_find(const JobHit& found) {
    state_.note_ended(found.job);  // whatever becomes of it: the devices wait for another one now
    const auto& most = state_.options.blocks;
    const bool enough = most && counts_.accepted + counts_.unanswered >= *most;
    const JobHit* find = nullptr;
    ++counts_.unanswered;  // before the change of the reservations is told
    if (!enough && state_.reserve(found.hit.header.previous_hash())) {
        find = &finds_.emplace_back(found);
    } else {
        --counts_.unanswered;
    }
    state_.changed();
    return find;
}

void BlockBook::end_find(const JobHit* find) {
    finds_.remove_if([find](const JobHit& other) { return &other == find; });
}

void BlockBook::add(const JobHit* find, const FoundBlockPtr& block) {
    end_find(find);
    const auto entry = std::make_shared<Entry>();
    entry->block = block;
    std::vector<std::size_t> all(queues_.size());
    std::iota(all.begin(), all.end(), 0);
    enqueue(entry, all);
}

void BlockBook::lose_find(const JobHit* find) {
    state_.release(find->hit.header.previous_hash());
    end_find(find);
    --counts_.unanswered;
    state_.want_template(kPauseAfterTrouble);
}

void BlockBook::resume(const FoundBlockPtr& block, const std::vector<std::size_t>& nodes, bool answered,
                       bool accepted) {
    const auto entry = std::make_shared<Entry>();
    entry->block = block;
    entry->answered = answered;
    entry->accepted = accepted;
    if (accepted) note_taken(block->hash);
    if (std::ranges::all_of(nodes, [&](std::size_t node) { return queues_[node].excluded; })) return;
    if (!answered) {
        ++counts_.unanswered;
        // A node may have accepted it, and its answer got lost: a second block at its height would be a rival. (Where a
        // node has answered, the template shows it.)
        if (block->previous != Hash256{}) state_.reserve(block->previous);
    }
    state_.say(Severity::kInfo,
               fmt::format("block {} of an earlier run was {}, and is submitted again: {}", block->height,
                           answered ? "not answered by every node" : "never answered", block->hash.hex()));
    enqueue(entry, nodes);
}

void BlockBook::enqueue(const EntryPtr& entry, const std::vector<std::size_t>& nodes) {
    std::vector<std::size_t> takers;
    for (const std::size_t node : nodes) {
        Queue& queue = queues_[node];
        if (queue.excluded || std::ranges::find(queue.blocks, entry) != queue.blocks.end()) continue;
        queue.blocks.push_back(entry);
        ++entry->open;
        takers.push_back(node);
    }
    if (entry->open == 0) give_up(*entry);
    state_.changed();
    for (const std::size_t node : takers) queued_(node);
}

void BlockBook::give_up(Entry& entry) {
    if (!std::exchange(entry.answered, true)) --counts_.unanswered;
    if (!entry.accepted) search_again(entry, milliseconds(0));
}

FoundBlockPtr BlockBook::next_block(std::size_t node) {
    Queue& queue = queues_[node];
    if (queue.blocks.empty()) return nullptr;
    // The newest first: it is the one for which every moment counts. But no node takes a block before its parent, and
    // its answer to one without is final.
    EntryPtr next = queue.newest = queue.blocks.back();
    for (std::size_t more = queue.blocks.size(); more > 0; --more) {  // bounded, whatever a journal said of hashes
        const auto is_parent = [&](const EntryPtr& other) { return other->block->hash == next->block->previous; };
        const auto parent = std::ranges::find_if(queue.blocks, is_parent);
        if (parent == queue.blocks.end()) break;
        next = *parent;
    }
    return next->block;
}

bool BlockBook::may_wait(std::size_t node, bool newest_last) {
    auto& blocks = queues_[node].blocks;
    if (blocks.back() != queues_[node].newest) return false;
    // So that it does not stand in the way of older ones: this node takes blocks, only not this one yet.
    if (newest_last) std::rotate(blocks.begin(), blocks.end() - 1, blocks.end());
    return true;
}

void BlockBook::settle(std::size_t node, const FoundBlock& block, const BlockReply& reply, bool from_giver) {
    auto& blocks = queues_[node].blocks;
    const auto place = std::ranges::find_if(blocks, [&](const auto& other) { return other->block.get() == &block; });
    const EntryPtr entry = *place;
    blocks.erase(place);
    --entry->open;
    if (!std::exchange(entry->answered, true)) --counts_.unanswered;
    if (reply.verdict == SubmitVerdict::kAccepted) {
        entry->takers.push_back(node);
        count_accepted(*entry, reply);
        note_accepted(entry);
    } else {
        entry->refusal = reply;
        count_refused(*entry);
        // Mining goes on where it was, unless another node is still to answer: it may take the block.
        if (!entry->accepted && (from_giver || entry->open == 0)) {
            const bool rejected = reply.verdict == SubmitVerdict::kRejected;
            search_again(*entry, rejected ? kPauseAfterTrouble : milliseconds(0));
        }
    }
    state_.changed();
    if (has_enough()) state_.end(Outcome::kEnough, "");
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
    entry->accepted_at = steady_now();
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
    queues_[node].excluded = true;
    for (const EntryPtr& entry : std::exchange(queues_[node].blocks, {})) {
        if (--entry->open == 0) give_up(*entry);
        count_refused(*entry);
    }
    state_.changed();
}

bool BlockBook::knows_parent(std::size_t node, const FoundBlock& block) const {
    const auto is_parent = [&](const EntryPtr& other) { return other->block->hash == block.previous; };
    return std::ranges::any_of(queues_[node].blocks, is_parent) || is_taken(block.previous);
}

void BlockBook::search_again(const Entry& entry, milliseconds pause) {
    if (!has_rival(entry)) state_.release(entry.block->previous);
    state_.want_template(pause);
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
    const auto entry = std::find_if(accepted_.rbegin(), accepted_.rend(),
                                    [&](const EntryPtr& accepted) { return accepted->block->previous == previous; });
    if (entry == accepted_.rend() || !state_.is_reserved(previous)) return std::nullopt;
    if (steady_now() - (*entry)->accepted_at < kTimeToCatchUp || has_newer_rival(**entry)) return std::nullopt;
    return (*entry)->block->hash;
}

void BlockBook::left_the_chain(const Hash256& hash, std::size_t node, const std::string& node_name, bool lost) {
    const auto place =
        std::ranges::find_if(accepted_, [&](const EntryPtr& accepted) { return accepted->block->hash == hash; });
    if (place == accepted_.end()) return;
    const EntryPtr entry = *place;
    accepted_.erase(place);  // until a node takes it again
    std::erase(taken_, hash);
    entry->off_chain = true;
    if (entry->counted) --counts_.blocks;
    if (!has_rival(*entry)) state_.release(entry->block->previous);
    const bool had_it = std::ranges::find(entry->takers, node) != entry->takers.end();
    const bool again = lost && had_it && !std::exchange(entry->resubmitted, true);
    state_.say(Severity::kWarning,
               fmt::format("block {} was accepted, but is not on the best chain of {}; its height is mined again{}",
                           entry->block->height, node_name, again ? ", and it gets the block once more" : ""));
    if (again) enqueue(entry, {node});
}

bool BlockBook::has_enough() const { return state_.options.blocks && counts_.accepted >= *state_.options.blocks; }

bool BlockBook::idle() const {
    return counts_.unanswered == 0 &&
           std::ranges::all_of(queues_, [](const Queue& queue) { return queue.blocks.empty(); });
}

}  // namespace gpuminer::net
