#include "net/solo/block_submitter.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/block/checker.hpp"
#include "host/block/header.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/journal/entries.hpp"
#include "net/solo/template_job.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

/// Zero where the entry's block does not begin with a header.
Hash256 previous_of(const std::string& block_hex) {
    try {
        return parse_header_hex(std::string_view(block_hex).substr(0, 160)).header.previous_hash();
    } catch (const InputError&) {
        return {};
    }
}

/// A block, and its entry in the journal. Throws std::exception where the hit cannot be made a block.
std::pair<FoundBlockPtr, JournalTicket> assemble(const JobHit& found, json entry, Journal& journal) {
    const auto& job = dynamic_cast<const TemplateJob&>(*found.job);
    const Checked checked = check(found.hit.header, job.target());
    if (checked.verdict != Verdict::hit) throw std::runtime_error("its hash is above the target");
    const std::string hex = job.block_hex(found);
    const std::string& work_id = job.block_template().work_id;
    const auto block = std::make_shared<FoundBlock>();
    block->hash = checked.hash;
    block->previous = found.hit.header.previous_hash();
    block->height = job.block_template().height;
    block->params = submit_params(hex, work_id);
    entry.update({{"hash", block->hash.hex()}, {"height", block->height}, {"block", hex}, {"work_id", work_id}});
    return {block, journal.append(entry)};
}

}  // namespace

BlockSubmitter::BlockSubmitter(SoloState& state, OffLoop& off_loop, Journal& journal)
    : state_(state),
      off_loop_(off_loop),
      journal_(journal),
      book_(state, [this](std::size_t node) { senders_[node]->queued(); }),
      release_(state.loop) {
    for (std::size_t i = 0; i < state.nodes.access.size(); ++i) {
        senders_.push_back(std::make_unique<BlockSender>(state_, off_loop, book_, journal_, i));
    }
}

void BlockSubmitter::take(const JobHit& found) {
    const JobHit* const find = book_.add_find(found);
    if (find == nullptr) return;
    const std::optional<Chain> chain = state_.chain();
    json nodes = json::array();
    for (const auto& sender : senders_) nodes.push_back(sender->name());
    const json entry = {{"event", "block"},
                        {"chain", chain ? name_of(*chain) : ""},
                        {"nodes", std::move(nodes)},
                        {"time", std::time(nullptr)}};
    ++assembling_;
    off_loop_.run([this, find, found, entry](const std::stop_token&) -> EventLoop::Task {
        try {
            const auto [block, written] = assemble(found, entry, journal_);
            return [this, unreleased = Unreleased{find, block, written}] {
                --assembling_;
                const FoundBlock& ready = *unreleased.block;
                state_.say(Severity::kInfo, fmt::format("block {} found: {}", ready.height, ready.hash.hex()));
                unreleased_.push_back(unreleased);
                send_released();
            };
        } catch (const std::exception& error) {
            return [this, find, why = std::string(error.what())] {
                --assembling_;
                state_.say(Severity::kWarning, fmt::format("the block found is lost: {}", why));
                book_.lose_find(find);
            };
        }
    });
}

void BlockSubmitter::send_released() {
    const JournalTicket released = journal_.released();
    for (auto next = unreleased_.begin(); next != unreleased_.end();) {
        if (next->written > released) {
            ++next;
            continue;
        }
        book_.add(next->find, next->block);
        next = unreleased_.erase(next);
    }
    const auto deadline = journal_.next_release();
    if (unreleased_.empty() || !deadline) return release_.cancel();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - steady_now());
    release_.start(std::max(left, std::chrono::milliseconds(0)), [this] { send_released(); });
}

void BlockSubmitter::stop() {
    for (const auto& sender : senders_) sender->stop();
}

void BlockSubmitter::resume(Chain chain) {
    state_.note_chain(chain);
    const std::vector<json> entries = journal_.take_open();
    std::map<std::string, std::map<std::string, bool>> answers;  // by hash, then by node
    for (const json& entry : entries) {
        if (text_in(entry, "event") != "submitted") continue;
        const auto accepted = entry.find("accepted");
        answers[text_in(entry, "hash")][text_in(entry, "node")] = accepted != entry.end() && *accepted == true;
    }
    std::set<std::string> seen;
    for (const json& entry : entries) {
        if (text_in(entry, "event") != "block" || text_in(entry, "chain") != name_of(chain)) continue;
        const std::string hash = text_in(entry, "hash");
        if (seen.insert(hash).second) resume_block(entry, answers[hash]);
    }
}

void BlockSubmitter::resume_block(const json& entry, const std::map<std::string, bool>& answers) {
    const auto block = std::make_shared<FoundBlock>();
    try {
        block->hash = hash256_from_hex(text_in(entry, "hash"), "a block hash");
    } catch (const InputError&) {
        return;
    }
    const bool answered = !answers.empty();
    if (answered && !is_recent_block(entry)) return;
    const auto height = entry.find("height");
    if (height != entry.end() && height->is_number_unsigned()) block->height = *height;
    const std::string hex = text_in(entry, "block");
    block->previous = previous_of(hex);
    block->params = submit_params(hex, text_in(entry, "work_id"));
    // An answer of one node concerns the nodes that the block was found for; without any, it goes to every node.
    const json meant_for = answered ? entry.value("nodes", json::array()) : json();
    std::vector<std::size_t> nodes;
    for (std::size_t i = 0; i < senders_.size(); ++i) {
        const std::string name = senders_[i]->name();
        const bool is_meant = meant_for.is_null() || std::ranges::find(meant_for, json(name)) != meant_for.end();
        if (is_meant && answers.count("") == 0 && answers.count(name) == 0) nodes.push_back(i);
    }
    // Where it was accepted, the earlier run has counted it.
    const bool accepted = std::ranges::any_of(answers, [](const auto& answer) { return answer.second; });
    book_.resume(block, nodes, answered, accepted);
}

}  // namespace gpuminer::net
