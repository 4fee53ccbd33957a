#include "net/solo/block_submitter.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <set>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/block/checker.hpp"
#include "host/block/header.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/journal/entries.hpp"

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

}  // namespace

BlockSubmitter::BlockSubmitter(SoloState& state)
    : state_(state),
      journal_(state.options.journal,
               {.say = [&state](Severity severity, const std::string& text) { state.say(severity, text); },
                .changed = {},
                .stopped = state.callbacks.stopped,
                .required = state.options.journal_required}),
      book_(state) {
    for (std::size_t i = 0; i < state.nodes.access.size(); ++i) {
        senders_.push_back(std::make_unique<BlockSender>(state_, book_, journal_, i));
    }
    assembler_ = std::jthread([this](const std::stop_token& stop) { assemble(stop); });
}

bool BlockSubmitter::finish(std::chrono::milliseconds patience) {
    journal_.hurry();
    return book_.wait_until_idle(patience);
}

void BlockSubmitter::request_stop() {
    journal_.hurry();
    for (const auto& sender : senders_) sender->request_stop();
}

void BlockSubmitter::join() {
    assembler_ = {};
    for (const auto& sender : senders_) sender->join();
}

WorkStatus BlockSubmitter::status() const {
    WorkStatus status = book_.counts();
    status.details["journal"] = journal_.path().string();
    return status;
}

void BlockSubmitter::assemble(const std::stop_token& stop) {
    while (const auto found = book_.next_find(stop)) {
        try {
            journal_and_send(*found);
            book_.end_find();
        } catch (const std::exception& error) {
            state_.say(Severity::kWarning, fmt::format("the block found is lost: {}", error.what()));
            book_.lose_find();
        }
    }
}

void BlockSubmitter::journal_and_send(const JobHit& found) {
    const auto& job = dynamic_cast<const TemplateJob&>(*found.job);
    const Checked checked = check(found.hit.header, job.target());
    if (checked.verdict != Verdict::hit) throw std::runtime_error("its hash is above the target");
    const auto block = std::make_shared<FoundBlock>();
    block->hash = checked.hash;
    block->previous = found.hit.header.previous_hash();
    block->height = job.block_template().height;
    block->hex = job.block_hex(found);
    block->work_id = job.block_template().work_id;
    state_.say(Severity::kInfo, fmt::format("block {} found: {}", block->height, block->hash.hex()));
    const std::optional<Chain> chain = state_.chain();
    json nodes = json::array();
    for (const auto& sender : senders_) nodes.push_back(sender->name());
    journal_.wait(journal_.append({{"event", "block"},
                                   {"chain", chain ? name_of(*chain) : ""},
                                   {"hash", block->hash.hex()},
                                   {"height", block->height},
                                   {"block", block->hex},
                                   {"work_id", block->work_id},
                                   {"nodes", std::move(nodes)},
                                   {"time", std::time(nullptr)}}));
    book_.add(block);
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
    block->hex = text_in(entry, "block");
    block->previous = previous_of(block->hex);
    block->work_id = text_in(entry, "work_id");
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
