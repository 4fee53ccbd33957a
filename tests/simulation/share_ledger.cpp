#include "tests/simulation/share_ledger.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "net/journal/queue.hpp"
#include "tests/simulation/pool_model.hpp"
#include "tests/simulation/pool_world.hpp"
#include "tests/simulation/wire.hpp"

namespace gpuminer::simulation {

namespace {

/// Of the parameters of mining.submit.
std::uint32_t nonce_of(const nlohmann::json& params) {
    return static_cast<std::uint32_t>(std::stoul(params.at(4).get_ref<const std::string&>(), nullptr, 16));
}

}  // namespace

void ShareLedger::found(std::uint32_t nonce, FoundShare share) { shares_.emplace(nonce, std::move(share)); }

void ShareLedger::handed_over(std::uint32_t nonce) {
    const FoundShare& share = shares_.at(nonce);
    if (share.id.empty() && could_be_accepted(share)) fail(share, "was not kept, though its pool would take it");
}

void ShareLedger::journalled(const nlohmann::json& entry) {
    const std::string event = entry.at("event");
    if (event == "share") {
        const auto nonce = static_cast<std::uint32_t>(std::stoul(entry.at("nonce").get<std::string>(), nullptr, 16));
        FoundShare& share = shares_.at(nonce);
        share.id = entry.at("id");
        if (!nonces_.emplace(share.id, nonce).second) fail(share, "has the journal's id of another one");
    } else if (event == "reply" || event == "dropped") {
        FoundShare& share = shares_.at(nonces_.at(entry.at("share")));
        if (std::exchange(share.settled, true)) fail(share, "was settled twice");
        if (event == "dropped") {
            ++world_.tally["dropped"];
            if (could_be_accepted(share))
                fail(share, "was given up, though its pool would take it: " + entry.at("reason").get<std::string>());
        } else if (entry.at("accepted").get<bool>()) {
            if (share.accepted == 0) refused(share, "and counts as accepted");
        } else if (share.accepted != 0 && (share.sent.size() == 1 || entry.at("reason") == "Duplicate share (22)")) {
            fail(share, "counts as refused, though its pool has accepted it");
        }
    }
}

void ShareLedger::released(const nlohmann::json& entry) {
    if (entry.at("event") != "share") return;
    FoundShare* const share = with_id(entry.at("id"));
    if (share != nullptr && !share->released) share->released = world_.time.now();
}

void ShareLedger::durable(const nlohmann::json& entry) {
    released(entry);
    const std::string event = entry.at("event");
    if (event == "share") {
        if (FoundShare* const share = with_id(entry.at("id"))) share->written = true;
    } else if (event == "reply" || event == "dropped") {
        if (FoundShare* const share = with_id(entry.at("share"))) share->settled_for_good = true;
    }
}

void ShareLedger::killed() {
    for (auto& [nonce, share] : shares_) {
        if (share.id.empty() || share.settled_for_good) continue;
        share.settled = share.settled_for_good = !share.written;
        if (!share.written) ++world_.tally["lost with their run"];
    }
}

FoundShare* ShareLedger::with_id(const std::string& id) {
    const auto nonce = nonces_.find(id);
    const auto share = nonce == nonces_.end() ? shares_.end() : shares_.find(nonce->second);
    return share == shares_.end() ? nullptr : &share->second;
}

void ShareLedger::sent(const Wire& wire, const nlohmann::json& params) {
    const auto found = shares_.find(nonce_of(params));
    if (found == shares_.end())
        return world_.fail(fmt::format("a share is sent that was never found: {}", params.dump()));
    FoundShare& share = found->second;
    ++world_.tally["sent"];
    if (++share.sent[wire.id()] > 1) fail(share, "was sent twice on a connection");
    if (share.settled) fail(share, "was sent after it was settled");
    const bool v2 = wire.pool().v2();
    if (single_submit && !v2) {
        const auto [last, since] = std::exchange(last_sent_[wire.id()], {found->first, world_.time.now()});
        const auto before = shares_.find(last);
        if (before != shares_.end() && !before->second.settled && world_.time.now() - since < wait_for_reply)
            fail(share, "was sent before the one before it was answered");
    }
    if (!share.released) fail(share, "was sent before it was written down");
    if (share.pool != wire.pool().number() || share.job != params.at(1))
        fail(share, "was sent to another pool, or for another job");
    if (share.origin == wire.id() && !share.solves_block && !wire.knows_job(share.job))
        fail(share, "was sent although a clean job had come after its own");
    if (v2 && share.origin != wire.id() && !share.solves_block)
        fail(share, "was sent on another connection than its job's, where it means nothing");
}

void ShareLedger::accepted(const nlohmann::json& params, const std::string& hash) {
    ++world_.tally["accepted"];
    FoundShare& share = shares_.at(nonce_of(params));
    if (share.hash != hash) return refused(share, "it stands for another header");
    if (++share.accepted > 1) fail(share, "was accepted twice");
}

void ShareLedger::refused(const nlohmann::json& params, const std::string& why) {
    refused(shares_.at(nonce_of(params)), why);
}

void ShareLedger::refused(const FoundShare& share, const std::string& why) {
    if (!share.solves_block) fail(share, "was refused: " + why);
}

void ShareLedger::told(const std::vector<std::uint32_t>& nonces) {
    for (const std::uint32_t nonce : nonces) {
        const auto share = shares_.find(nonce);
        if (share != shares_.end() && !share->second.settled) fail(share->second, "is not settled by its answer");
    }
}

void ShareLedger::in_use(std::optional<ConnectionId> connection) {
    if (connection != in_use_) in_use_since_ = world_.time.now();
    in_use_ = connection;
}

void ShareLedger::look_for_held_back(std::size_t pool) {
    if (!in_use_ || (single_submit && !world_.pools[pool]->v2())) return;
    const auto session = world_.pools[pool]->session_of(*in_use_);
    if (!session) return;
    for (const auto& [nonce, share] : shares_) {
        const bool waits = share.pool == pool && !share.id.empty() && !share.settled && !share.sent.contains(*in_use_);
        if (!waits || session->extranonce1 != share.extranonce1 || !could_be_accepted(share)) continue;
        const net::SteadyTime may_be_sent = share.released.value_or(share.found + net::JournalTiming().patience);
        if (world_.time.now() - std::max(may_be_sent, in_use_since_) > std::chrono::milliseconds(10))
            fail(share, "was held back until its pool does not take it any more");
    }
}

bool ShareLedger::settled(std::size_t pool) const {
    return std::ranges::all_of(shares_, [&](const auto& entry) {
        return entry.second.pool != pool || entry.second.id.empty() || entry.second.settled;
    });
}

std::string ShareLedger::unsettled(std::size_t pool) const {
    std::string ids;
    for (const auto& [nonce, share] : shares_) {
        if (share.pool == pool && !share.id.empty() && !share.settled)
            ids += fmt::format(" {} (nonce {:08x})", share.id, nonce);
    }
    return ids;
}

void ShareLedger::forget_settled() {
    std::erase_if(shares_, [](const auto& entry) { return entry.second.settled_for_good; });
}

bool ShareLedger::could_be_accepted(const FoundShare& share) const {
    return world_.pools[share.pool]->would_accept(share);
}

void ShareLedger::fail(const FoundShare& share, const std::string& what) {
    world_.fail(fmt::format("the share of job {} (pool {}, run {}, connection {}, hash {}) {}", share.job, share.pool,
                            share.origin.run, share.origin.number, share.hash.substr(0, 16), what));
}

}  // namespace gpuminer::simulation
