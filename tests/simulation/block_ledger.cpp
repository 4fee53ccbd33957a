#include "tests/simulation/block_ledger.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "net/node/rpc.hpp"
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

void BlockLedger::search_ends() {
    job_ = nullptr;
    template_tip_.clear();
    idle_since_.reset();
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

bool BlockLedger::is_taken(const std::string& hash) const {
    const auto block = blocks_.find(hash);
    return block != blocks_.end() && !block->second.left_a_chain &&
           std::ranges::any_of(block->second.nodes,
                               [](const auto& entry) { return entry.second.settled && entry.second.accepted; });
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
    Sending& sending = block.nodes[number_of(entry.at("node"))];
    const bool accepted = entry.at("accepted");
    sending.settled = true;
    if (!sending.answered) fail(hash, "is settled without an answer");
    if (entry.at("reason") == "prev-blk-not-found" && is_taken(block.previous))
        fail(hash, "is given up for its parent");
    const bool orphaned = entry.at("reason") == "orphaned" && sending.off_chain;
    if (accepted != sending.accepted && !orphaned) fail(hash, "is settled with another answer");
}

void BlockLedger::released(const json& entry) {
    if (entry.at("event") != "block") return;
    if (!std::exchange(blocks_.at(entry.at("hash")).released, true)) expect_sending(entry.at("hash"));
}

void BlockLedger::expect_sending(const std::string& hash) {
    for (const auto& node : world_.nodes) {
        const std::uint64_t ended = senders_[node->number()].ended;
        world_.time.after(patience(), [this, hash, ended, node = node->number(), run = world_.run] {
            const auto block = blocks_.find(hash);
            const Sender& sender = senders_[node];
            if (world_.run != run || block == blocks_.end() || sender.under_way > 0 || sender.ended != ended) return;
            if (block->second.nodes[node].run != run) fail(hash, fmt::format("is not sent to node {}", node));
        });
    }
}

void BlockLedger::durable(const json& entry) {
    Block& block = blocks_.at(entry.at("hash"));
    if (entry.at("event") == "block") {
        block.durable = true;
        released(entry);
    } else {
        block.nodes[number_of(entry.at("node"))].on_disk = true;
    }
}

void BlockLedger::killed() {
    search_ends();
    ++failures_;
    fetching_ = false;
    std::erase_if(blocks_, [](const auto& entry) { return !entry.second.durable; });
    for (auto& [hash, block] : blocks_) {
        for (auto& [node, sending] : block.nodes) {
            sending.under_way = false;
            if (!sending.on_disk) sending = {.once_on_disk = sending.once_on_disk};
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
    if (sending.under_way) fail(hash, "is sent twice at once");
    if (const auto parent = blocks_.find(block.previous); parent != blocks_.end()) {
        const Sending& earlier = parent->second.nodes[node];
        if (!earlier.answered && !earlier.once_on_disk) fail(hash, "is sent before its parent");
    }
    if (sending.run != 0) ++world_.tally["sent again"];
    sending = {.once_on_disk = sending.once_on_disk || sending.on_disk};
    sending.run = world_.run;
    sending.under_way = true;
}

void BlockLedger::answered(std::size_t node, const std::string& hash, const std::optional<json>& answer) {
    const auto place = blocks_.find(hash);
    if (place == blocks_.end()) return;
    Sending& sending = place->second.nodes[node];
    sending.under_way = false;
    if (!answer) return;
    sending.answered = true;
    sending.accepted = answer->is_null() || *answer == "duplicate";
    sending.may_return = *answer == "prev-blk-not-found" || *answer == "inconclusive";
    if (sending.accepted) ++world_.tally["accepted"];
    watch_idleness();
}

void BlockLedger::hears_of_place(std::size_t node, const std::string& hash, bool absent) {
    const auto place = blocks_.find(hash);
    if (place == blocks_.end()) return;
    place->second.left_a_chain = true;
    Sending& sending = place->second.nodes[node];
    sending.off_chain = true;
    sending.absent = absent && sending.accepted;
    if (sending.absent) ++world_.tally["lost by a node"];
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
            const bool known = sending != block.nodes.end();
            if (!known || !(sending->second.answered || sending->second.once_on_disk)) {
                return fmt::format("block {} is not answered by node {}", hash, node->number());
            }
        }
    }
    return "";
}

std::string BlockLedger::unsettled() const {
    for (const auto& [hash, block] : blocks_) {
        for (const auto& [node, sending] : block.nodes) {
            if (sending.run != world_.run || !sending.accepted || sending.settled) continue;
            return fmt::format("block {} was accepted by node {}, which the journal does not say", hash, node);
        }
    }
    return "";
}

void BlockLedger::fail(const std::string& hash, const std::string& what) {
    world_.fail(fmt::format("block {} {}", hash, what));
}

}  // namespace gpuminer::simulation
