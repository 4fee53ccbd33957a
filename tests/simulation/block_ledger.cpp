#include "tests/simulation/block_ledger.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "net/node/call_gate.hpp"
#include "net/solo/template_job.hpp"
#include "tests/simulation/solo_world.hpp"

namespace gpuminer::simulation {

using nlohmann::json;
using std::chrono::seconds;

namespace {

// Of what has to follow at once, but for work off the loop.
constexpr seconds kPatience{3};

std::size_t number_of(const std::string& node) {  // "http://node1.example.com:18443"
    return std::stoul(node.substr(node.find("node") + 4));
}

}  // namespace

void BlockLedger::new_job(std::shared_ptr<const net::TemplateJob> job) {
    if (!job && job_ && is_template_usable() && !is_blocked(job_->block_template().previous_hash.hex())) {
        world_.fail("a job ends though the last template can be used");
    }
    job_ = std::move(job);
    watch_idleness();
}

void BlockLedger::found(const std::string& hash, const std::shared_ptr<const net::TemplateJob>& job) {
    ++world_.tally["found"];
    Block block;
    const std::string previous = block.previous = job->block_template().previous_hash.hex();
    block.expected = !is_blocked(previous);
    blocks_[hash] = std::move(block);
    if (job == job_) job_ = nullptr;
    watch_idleness();
    expect_journal(hash);
}

bool BlockLedger::is_blocked(const std::string& previous) const {
    return std::ranges::any_of(blocks_, [&](const auto& entry) {
        const Block& block = entry.second;
        if (block.previous != previous) return false;
        if (!block.journalled) return block.expected;
        return std::ranges::any_of(world_.nodes, [&](const auto& node) {
            const auto sending = block.nodes.find(node->number());
            return sending == block.nodes.end() || !sending->second.answered || sending->second.may_return ||
                   sending->second.accepted;
        });
    });
}

void BlockLedger::expect_journal(const std::string& hash) {
    world_.time.after(kPatience, [this, hash] {
        const auto block = blocks_.find(hash);
        if (block == blocks_.end() || !block->second.expected || block->second.journalled) return;
        fail(hash, "is not journalled");
    });
}

void BlockLedger::journalled(const json& entry) {
    const std::string hash = entry.at("hash");
    const auto place = blocks_.find(hash);
    if (place == blocks_.end()) return fail(hash, "was never found");
    Block& block = place->second;
    if (entry.at("event") == "block") {
        block.journalled = true;
        return;
    }
    const Sending& sending = block.nodes[number_of(entry.at("node"))];
    const bool accepted = entry.at("accepted");
    if (!sending.answered) fail(hash, "is settled without an answer");
    if (accepted != sending.accepted && entry.at("reason") != "orphaned") fail(hash, "is settled with another answer");
}

void BlockLedger::released(const json& entry) {
    if (entry.at("event") == "block") blocks_.at(entry.at("hash")).released = true;
}

void BlockLedger::durable(const json& entry) {
    Block& block = blocks_.at(entry.at("hash"));
    if (entry.at("event") == "block") {
        block.released = block.durable = true;
    } else {
        block.nodes[number_of(entry.at("node"))].on_disk = true;
    }
}

void BlockLedger::killed() {
    job_ = nullptr;
    ++failures_;
    fetching_ = false;
    template_tip_.clear();
    idle_since_.reset();
    std::erase_if(blocks_, [](const auto& entry) { return !entry.second.durable; });
    for (auto& [hash, block] : blocks_) {
        for (auto& [node, sending] : block.nodes) {
            if (!sending.on_disk) sending = {};
        }
    }
}

void BlockLedger::sent(std::size_t node, const std::string& hash) {
    ++world_.tally["sent"];
    const auto place = blocks_.find(hash);
    if (place == blocks_.end()) return fail(hash, "is sent, and was never found");
    Block& block = place->second;
    Sending& sending = block.nodes[node];
    if (!block.released) fail(hash, "is sent before the journal has it");
    if (sending.answered && !sending.may_return && !sending.absent) fail(hash, "is sent once more after an answer");
    if (sending.run != 0) ++world_.tally["sent again"];
    sending = {};
    sending.run = world_.run;
}

void BlockLedger::answered(std::size_t node, const std::string& hash, const std::optional<json>& answer) {
    const auto place = blocks_.find(hash);
    if (place == blocks_.end()) return;
    Sending& sending = place->second.nodes[node];
    if (!answer) return hears_of_failure();
    sending.answered = true;
    sending.accepted = answer->is_null() || *answer == "duplicate";
    sending.may_return = *answer == "prev-blk-not-found" || *answer == "inconclusive";
    if (sending.accepted) ++world_.tally["accepted"];
    watch_idleness();
}

void BlockLedger::hears_of_absence(std::size_t node, const std::string& hash) {
    const auto place = blocks_.find(hash);
    if (place == blocks_.end()) return;
    place->second.nodes[node].absent = true;
    ++world_.tally["lost by a node"];
}

void BlockLedger::asks_in_round(bool for_template) {
    ++round_calls_;
    if (for_template) fetching_ = true;
    watch_idleness();
}

void BlockLedger::hears_of_failure() {
    ++failures_;
    fetching_ = false;
    watch_idleness();
}

void BlockLedger::hears_of_tip(const std::string& tip, bool as_template) {
    if (as_template) {
        ++templates_;
        failures_before_template_ = failures_;
        template_tip_ = tip;
        fetching_ = false;
        world_.time.after(kPatience, [this, tip, number = templates_, run = world_.run] {
            if (number != templates_ || run != world_.run || !job_) return;
            if (job_->block_template().previous_hash.hex() != tip) world_.fail("a job is on an old tip");
        });
    } else if (tip != template_tip_) {
        template_tip_.clear();
        world_.time.after(patience(), [this, calls = round_calls_, run = world_.run, failures = failures_] {
            if (calls == round_calls_ && run == world_.run && failures == failures_) {
                world_.fail("the client has heard of a new tip, and asks for no template");
            }
        });
    }
    watch_idleness();
}

net::SteadyTime BlockLedger::world_now() const { return world_.time.now(); }

seconds BlockLedger::patience() const {
    const bool at_gate = busy_at_ != net::SteadyTime{} && world_now() - busy_at_ < std::chrono::minutes(1);
    return at_gate ? net::CallGate::kLongestWait + kPatience : kPatience;
}

bool BlockLedger::is_template_usable() const {
    return !template_tip_.empty() && failures_ == failures_before_template_ && !fetching_ && !is_blocked(template_tip_);
}

void BlockLedger::watch_idleness() {
    if (job_ || !is_template_usable()) return idle_since_.reset();
    if (idle_since_) return;
    ++world_.tally["idle for a while"];
    idle_since_ = world_now();
    world_.time.after(patience(), [this, since = idle_since_] {
        if (idle_since_ == since) world_.fail("a usable template is known, and nothing is searched");
    });
}

std::string BlockLedger::unanswered() const {
    for (const auto& [hash, block] : blocks_) {
        if (!block.journalled) continue;
        for (const auto& node : world_.nodes) {
            const auto sending = block.nodes.find(node->number());
            if (sending == block.nodes.end() || !sending->second.answered) {
                return fmt::format("block {} is not answered by node {}", hash, node->number());
            }
        }
    }
    return "";
}

void BlockLedger::fail(const std::string& hash, const std::string& what) {
    world_.fail(fmt::format("block {} {}", hash, what));
}

}  // namespace gpuminer::simulation
