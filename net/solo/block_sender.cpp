#include "net/solo/block_sender.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstPause(500);               // between attempts
constexpr milliseconds kLongestPause(15'000);          // between attempts
constexpr auto kBusyUnsaid = std::chrono::seconds(4);  // so long it may be busy without a word
constexpr auto kTryFor = std::chrono::minutes(10);     // at least
constexpr std::uint32_t kBuried = 6;                   // blocks on top of another one at its height

/// The node cannot answer now, but may do so later.
bool is_away(RpcFailure failure) {
    return failure == RpcFailure::kUnreachable || failure == RpcFailure::kTimeout || failure == RpcFailure::kBusy ||
           failure == RpcFailure::kWarmingUp || failure == RpcFailure::kCancelled;
}

}  // namespace

BlockSender::BlockSender(SoloState& state, BlockBook& book, Journal& journal, std::size_t node)
    : state_(state),
      book_(book),
      journal_(journal),
      index_(node),
      node_(state.nodes.access[node]),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void BlockSender::run(const std::stop_token& stop) {
    const std::stop_callback cancel(stop, [this] { node_.cancel(); });
    milliseconds pause = kFirstPause;
    while (const FoundBlockPtr block = book_.next_block(stop, index_)) {
        const Sent sent = send(*block);
        if (sent == Sent::kDone) {
            pause = kFirstPause;
        } else if (sent == Sent::kBusy) {
            book_.wait_to_retry(stop, index_, kBusyPause, false);
        } else if (book_.wait_to_retry(stop, index_, pause, sent == Sent::kWithoutParent)) {
            pause = std::min(2 * pause, kLongestPause);
        }
    }
}

BlockSender::Sent BlockSender::send(const FoundBlock& block) {
    try {
        if (!is_on_our_chain()) {
            book_.exclude(index_);
            return Sent::kDone;
        }
        const BlockReply reply = submit(block);
        if (waits_for_parent(block, reply)) {
            say_kept(block, fmt::format("{} says {}", name(), reply.reason));
            return Sent::kWithoutParent;
        }
        last_trouble_.clear();
        settle(block, reply);
        return Sent::kDone;
    } catch (const RpcError& error) {
        if (error.failure == RpcFailure::kCancelled) return Sent::kNotReached;
        const bool busy = error.failure == RpcFailure::kBusy;
        if (!busy) asked_for_chain_ = false;  // another node may be there when it comes back
        if (error.failure == RpcFailure::kNoMethod || is_hopeless(block)) {
            settle(block, {SubmitVerdict::kRejected, "unreachable", error.what()});
            return Sent::kDone;
        }
        if (!busy || steady_clock::now() - block.found_at > kBusyUnsaid) say_kept(block, error.what());
        return busy ? Sent::kBusy : Sent::kNotReached;
    }
}

bool BlockSender::is_on_our_chain() {
    if (asked_for_chain_) return true;
    ChainInfo info;
    try {
        info = node_.chain_info();
    } catch (const RpcError& error) {
        if (is_away(error.failure)) throw;
        asked_for_chain_ = true;  // it may not tell, but may take blocks
        return true;
    }
    asked_for_chain_ = true;
    const std::optional<Chain> ours = state_.chain();
    if (info.chain && info.chain == ours) return true;
    const std::string theirs = info.chain ? std::string(name_of(*info.chain)) : quoted_text(info.name);
    state_.say(Severity::kWarning,
               fmt::format("{} is on chain {}, not {}: it gets no blocks", name(), theirs, ours ? name_of(*ours) : ""));
    return false;
}

BlockReply BlockSender::submit(const FoundBlock& block) {
    BlockReply reply = node_.submit_block(block.hex, block.work_id);
    if (reply.verdict != SubmitVerdict::kAccepted) return reply;
    state_.want_template();  // first of all; the rest can wait
    try {
        if (node_.standing(block.hash) == ChainPosition::kSideChain) {
            return {SubmitVerdict::kStale, "orphaned", "another block came first"};
        }
    } catch (const RpcError&) {  // it may not tell, or is gone: its answer to submitblock holds
    }
    return reply;
}

bool BlockSender::waits_for_parent(const FoundBlock& block, const BlockReply& reply) const {
    if (reply.reason != "prev-blk-not-found" && reply.reason != "inconclusive") return false;
    return book_.knows_parent(index_, block) && !is_hopeless(block);
}

bool BlockSender::is_hopeless(const FoundBlock& block) const {
    return state_.height() > block.height + kBuried && steady_clock::now() - block.found_at > kTryFor;
}

void BlockSender::say_kept(const FoundBlock& block, const std::string& why) {
    if (std::exchange(last_trouble_, why) == why) return;
    state_.say(Severity::kWarning, fmt::format("block {} will be submitted again: {}", block.height, why));
}

void BlockSender::settle(const FoundBlock& block, const BlockReply& reply) {
    const bool accepted = reply.verdict == SubmitVerdict::kAccepted;
    journal_.append({{"event", "submitted"},
                     {"hash", block.hash.hex()},
                     {"node", name()},
                     {"accepted", accepted},
                     {"reason", reply.reason},
                     {"time", std::time(nullptr)}});
    if (accepted) {
        state_.say(Severity::kSuccess, fmt::format("block {} is accepted by {}", block.height, name()));
    } else {
        state_.say(Severity::kRefusal,
                   fmt::format("block {} is refused by {}: {} ({})", block.height, name(), reply.words, reply.reason));
    }
    if (state_.callbacks.answered) {
        state_.callbacks.answered({.is_block = true,
                                   .verdict = accepted ? "accepted" : "rejected",
                                   .hash = block.hash.hex(),
                                   .difficulty = difficulty_of(block.hash),
                                   .latency_ms = std::nullopt,
                                   .server = name(),
                                   .reason = accepted ? "" : reply.words});
    }
    book_.settle(index_, block, reply, name() == state_.server());
}

}  // namespace gpuminer::net
