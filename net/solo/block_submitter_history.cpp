// The part of BlockSubmitter about blocks that were answered or found before: in an earlier run, or before they left
// the best chain.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "host/block/header.hpp"
#include "host/block/text.hpp"
#include "host/errors.hpp"
#include "net/journal_entries.hpp"
#include "net/solo/block_submitter.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

constexpr std::size_t kAcceptedKept = 8;                  // whole blocks: some megabytes each
constexpr std::size_t kTakenKept = 1024;                  // hashes
constexpr auto kTimeToCatchUp = std::chrono::seconds(3);  // of a node that gives templates, after another one accepted

/// Empty where the entry's block does not begin with a header.
std::optional<Hash256> previous_of(const std::string& block_hex) {
    try {
        return parse_header_hex(std::string_view(block_hex).substr(0, 160)).header.previous_hash();
    } catch (const InputError&) {
        return std::nullopt;
    }
}

}  // namespace

void BlockSubmitter::resume(Chain chain) {
    {
        const std::lock_guard lock(shared_.mutex);
        if (!chain_name_.empty()) return;
        chain_name_ = name_of(chain);
    }
    std::map<std::string, std::map<std::string, bool>> answers;  // by hash, then by node
    for (const json& entry : shared_.journal.earlier()) {
        if (text_in(entry, "event") != "submitted") continue;
        const auto accepted = entry.find("accepted");
        answers[text_in(entry, "hash")][text_in(entry, "node")] = accepted != entry.end() && *accepted == true;
    }
    std::set<std::string> seen;
    for (const json& entry : shared_.journal.earlier()) {
        if (text_in(entry, "event") != "block" || text_in(entry, "chain") != name_of(chain)) continue;
        const std::string hash = text_in(entry, "hash");
        if (seen.insert(hash).second) resume_block(entry, answers[hash]);
    }
    shared_.journal.forget_earlier();
}

void BlockSubmitter::resume_block(const json& entry, const std::map<std::string, bool>& answers) {
    const auto block = std::make_shared<FoundBlock>();
    try {
        block->hash = target_from_hex(text_in(entry, "hash"));
    } catch (const InputError&) {
        return;
    }
    if (!answers.empty() && !is_recent_block(entry)) return;
    const auto height = entry.find("height");
    if (height != entry.end() && height->is_number_unsigned()) block->height = *height;
    block->hex = text_in(entry, "block");
    const std::optional<Hash256> previous = previous_of(block->hex);
    if (previous) block->previous = *previous;
    block->work_id = text_in(entry, "work_id");
    block->answered = !answers.empty();
    // Then the earlier run has counted it.
    block->accepted = std::any_of(answers.begin(), answers.end(), [](const auto& answer) { return answer.second; });
    // What one node has answered concerns those that it was found for, what none has answered any node.
    const json meant_for = block->answered ? entry.value("nodes", json::array()) : json();
    const auto is_meant_for = [&](const std::string& node) {
        return answers.count(node) == 0 &&
               (meant_for.is_null() || std::find(meant_for.begin(), meant_for.end(), json(node)) != meant_for.end());
    };
    {
        const std::lock_guard lock(shared_.mutex);
        if (block->accepted) note_taken(block->hash);
        for (auto& sender : senders_) {
            if (answers.count("") != 0 || sender->elsewhere || !is_meant_for(sender->node.name())) continue;
            sender->blocks.push_back(block);
            ++block->open;
        }
        if (block->open == 0) return;
        if (!block->answered) {
            ++shared_.status.unanswered;
            ++unsettled_;
            // A node may have it without having said so: a second one in its place would be in vain. (Where a node has
            // answered, it is the template that tells.)
            if (previous && !shared_.is_solved(*previous)) shared_.solved.push_back(*previous);
        }
    }
    shared_.say(Severity::kInfo,
                fmt::format("block {} of an earlier run was {}, and is submitted again: {}", block->height,
                            block->answered ? "not answered by every node" : "never answered", block->hash.hex()));
    shared_.changed.notify_all();
}

void BlockSubmitter::note_accepted(const std::shared_ptr<FoundBlock>& block) {
    block->accepted_at = steady_clock::now();
    note_taken(block->hash);
    if (block->resubmitted && !shared_.is_solved(block->previous)) shared_.solved.push_back(block->previous);
    if (std::find(accepted_.begin(), accepted_.end(), block) != accepted_.end()) return;
    accepted_.push_back(block);
    if (accepted_.size() <= kAcceptedKept) return;
    // Should the chain ever go back so far, then without it.
    std::erase(shared_.solved, accepted_.front()->previous);
    accepted_.pop_front();
}

void BlockSubmitter::note_taken(const Hash256& hash) {
    if (is_taken(hash)) return;
    taken_.push_back(hash);
    if (taken_.size() > kTakenKept) taken_.pop_front();
}

bool BlockSubmitter::is_taken(const Hash256& hash) const {
    return std::find(taken_.begin(), taken_.end(), hash) != taken_.end();
}

bool BlockSubmitter::has_newer_rival(const FoundBlock& block) const {
    const auto is_rival = [&](const std::shared_ptr<FoundBlock>& other) {
        return other.get() != &block && other->previous == block.previous && other->found_at > block.found_at;
    };
    const auto is_found = [&](const JobHit& find) {
        return find.hit.hash != block.hash && find.hit.header.previous_hash() == block.previous;
    };
    return std::any_of(finds_.begin(), finds_.end(), is_found) ||
           std::any_of(senders_.begin(), senders_.end(), [&](const auto& sender) {
               return std::any_of(sender->blocks.begin(), sender->blocks.end(), is_rival);
           });
}

bool BlockSubmitter::has_rival(const FoundBlock& block) const {
    return has_newer_rival(block) || std::any_of(accepted_.begin(), accepted_.end(), [&](const auto& other) {
               return other.get() != &block && other->previous == block.previous;
           });
}

void BlockSubmitter::search_again(const FoundBlock& block) {
    if (!has_rival(block)) std::erase(shared_.solved, block.previous);
    shared_.template_wanted = true;
}

std::optional<Hash256> BlockSubmitter::accepted_on(const Hash256& previous) {
    const std::lock_guard lock(shared_.mutex);
    const auto block = std::find_if(accepted_.rbegin(), accepted_.rend(),
                                    [&](const auto& accepted) { return accepted->previous == previous; });
    if (block == accepted_.rend() || !shared_.is_solved(previous)) return std::nullopt;
    if (steady_clock::now() - (*block)->accepted_at < kTimeToCatchUp || has_newer_rival(**block)) return std::nullopt;
    return (*block)->hash;
}

void BlockSubmitter::left_the_chain(const Hash256& hash, const std::string& node_name) {
    std::shared_ptr<FoundBlock> block;
    bool again = false;
    {
        const std::lock_guard lock(shared_.mutex);
        const auto found =
            std::find_if(accepted_.begin(), accepted_.end(), [&](const auto& b) { return b->hash == hash; });
        if (found == accepted_.end()) return;
        block = *found;
        accepted_.erase(found);  // until a node takes it again
        std::erase(taken_, block->hash);
        if (!has_rival(*block)) std::erase(shared_.solved, block->previous);
        again = !std::exchange(block->resubmitted, true);
    }
    shared_.say(Severity::kWarning,
                fmt::format("block {}, which was accepted, is not on the best chain of {}; its height is mined again{}",
                            block->height, node_name, again ? ", and the block is submitted once more" : ""));
    if (again) enqueue(block);
}

}  // namespace gpuminer::net
