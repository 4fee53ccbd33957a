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

constexpr milliseconds kFirstPause(500);               // between attempts
constexpr milliseconds kLongestPause(15'000);          // between attempts
constexpr auto kBusyUnsaid = std::chrono::seconds(4);  // so long it may be busy without a word
constexpr auto kTryFor = std::chrono::minutes(10);     // at least
constexpr std::uint32_t kBuried = 6;                   // blocks on top of another one at its height

/// The node cannot answer now, but may do so later.
bool is_away(RpcFailure failure) {
    return failure == RpcFailure::kUnreachable || failure == RpcFailure::kTimeout || failure == RpcFailure::kBusy ||
           failure == RpcFailure::kWarmingUp;
}

}  // namespace

BlockSender::BlockSender(SoloState& state, OffLoop& off_loop, BlockBook& book, Journal& journal, std::size_t node)
    : state_(state),
      book_(book),
      journal_(journal),
      index_(node),
      node_(state.loop, off_loop, state.nodes.access[node]),
      retry_(state.loop),
      pause_(kFirstPause) {}

void BlockSender::queued() {
    if (!block_) send_next();
}

void BlockSender::stop() {
    stopped_ = true;
    node_.cancel();
    retry_.cancel();
    if (accepted_) settle(BlockReply(*accepted_));  // where it stands is not known, so the node's word holds
}

void BlockSender::send_next() {
    retry_.cancel();
    block_ = stopped_ ? nullptr : book_.next_block(index_);
    if (!block_) return;
    asked_for_chain_ ? submit() : ask_for_chain();
}

void BlockSender::ask_for_chain() {
    node_.chain_info([this](Answer<ChainInfo> answer) {
        try {
            if (!is_on_our_chain(answer.take())) {
                block_ = nullptr;
                return book_.exclude(index_);
            }
        } catch (const RpcError& error) {  // it may not tell, but may take blocks
            if (is_away(error.failure)) return failed(error);
        }
        asked_for_chain_ = true;
        submit();
    });
}

bool BlockSender::is_on_our_chain(const ChainInfo& info) const {
    const std::optional<Chain> ours = state_.chain();
    if (info.chain && info.chain == ours) return true;
    const std::string theirs = info.chain ? std::string(name_of(*info.chain)) : quoted_text(info.name);
    state_.say(Severity::kWarning,
               fmt::format("{} is on chain {}, not {}: it gets no blocks", name(), theirs, ours ? name_of(*ours) : ""));
    return false;
}

void BlockSender::submit() {
    node_.submit_block(block_->params, [this](Answer<BlockReply> answer) {
        BlockReply reply;
        try {
            reply = answer.take();
        } catch (const RpcError& error) {
            return failed(error);
        }
        reply.verdict == SubmitVerdict::kAccepted ? verify_acceptance(reply) : take(reply);
    });
}

void BlockSender::verify_acceptance(const BlockReply& reply) {
    accepted_ = reply;
    state_.want_template();  // first of all; the rest can wait
    node_.standing(block_->hash, [this, reply](Answer<ChainPosition> answer) {
        BlockReply verified = reply;
        try {
            const ChainPosition position = answer.take();
            if (position == ChainPosition::kSideChain || position == ChainPosition::kAbsent) {
                verified = {SubmitVerdict::kStale, "orphaned", "another block came first"};
            }
        } catch (const RpcError&) {  // it may not tell, or is gone: its answer to submitblock holds
        }
        take(verified);
    });
}

void BlockSender::take(const BlockReply& reply) {
    if (waits_for_parent(reply)) {
        say_kept(fmt::format("{} says {}", name(), reply.reason));
        block_ = nullptr;
        return book_.may_wait(index_, true) ? retry() : send_next();
    }
    last_trouble_.clear();
    settle(reply);
}

void BlockSender::failed(const RpcError& error) {
    const bool busy = error.failure == RpcFailure::kBusy;
    if (!busy) asked_for_chain_ = false;  // another node may be there when it comes back
    if (error.failure == RpcFailure::kNoMethod || is_hopeless()) {
        return settle({SubmitVerdict::kRejected, "unreachable", error.what()});
    }
    if (!busy || steady_now() - block_->found_at > kBusyUnsaid) say_kept(error.what());
    block_ = nullptr;
    if (!book_.may_wait(index_, false)) return send_next();
    busy ? retry_.start(kBusyPause, [this] { send_next(); }) : retry();
}

void BlockSender::retry() {
    retry_.start(pause_, [this] { send_next(); });
    pause_ = std::min(2 * pause_, kLongestPause);
}

bool BlockSender::waits_for_parent(const BlockReply& reply) const {
    if (reply.reason != "prev-blk-not-found" && reply.reason != "inconclusive") return false;
    return book_.knows_parent(index_, *block_) && !is_hopeless();
}

bool BlockSender::is_hopeless() const {
    return state_.height() > block_->height + kBuried && steady_now() - block_->found_at > kTryFor;
}

void BlockSender::say_kept(const std::string& why) {
    if (std::exchange(last_trouble_, why) == why) return;
    state_.say(Severity::kWarning, fmt::format("block {} will be submitted again: {}", block_->height, why));
}

void BlockSender::settle(const BlockReply& reply) {
    const FoundBlockPtr sent = std::exchange(block_, nullptr);
    accepted_.reset();
    const FoundBlock& block = *sent;
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
                                   .share_difficulty = difficulty_of(block.hash),
                                   .latency_ms = std::nullopt,
                                   .server = name(),
                                   .reason = accepted ? "" : reply.words});
    }
    book_.settle(index_, block, reply, name() == state_.server());
    pause_ = kFirstPause;
    send_next();
}

}  // namespace gpuminer::net
