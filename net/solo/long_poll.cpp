#include "net/solo/long_poll.hpp"

#include <chrono>
#include <utility>

namespace gpuminer::net {
namespace {

constexpr auto kTimeLimit = std::chrono::minutes(10);  // then it is asked again
// While blocks come many a second, as on a network of the user's own, nobody needs a long poll.
constexpr auto kSettlingTime = std::chrono::milliseconds(200);
constexpr auto kPauseAfterFailedPoll = std::chrono::seconds(5);  // the tip is asked for in any case
constexpr auto kPauseAfterNothing = std::chrono::seconds(2);     // a node that replies at once has no long poll

}  // namespace

LongPoll::LongPoll(SoloState& state, OffLoop& off_loop) : state_(state), pause_(state.loop) {
    for (NodeAccess access : state.nodes.access) {
        access.gate = nullptr;  // others would have to wait for minutes
        nodes_.push_back(std::make_unique<Node>(state.loop, off_loop, access));
    }
}

void LongPoll::watch(std::size_t node_index, Chain chain, const std::string& long_poll_id) {
    const Watched watched{node_index, chain, long_poll_id};
    if (watched == watched_) return;
    watched_ = watched;
    ask_after(kSettlingTime);
}

void LongPoll::stop() {
    watched_ = {};
    pause_.cancel();
    for (const auto& node : nodes_) node->cancel();
}

void LongPoll::ask_after(std::chrono::milliseconds pause) {
    if (asking_) return;  // the node answers when there is news, of which the caller may have heard already
    pause_.start(pause, [this] { ask(); });
}

void LongPoll::ask() {
    if (watched_.id.empty()) return;
    asking_ = true;
    nodes_[watched_.node]->long_poll(
        watched_.chain, watched_.id, kTimeLimit,
        [this, asked = watched_](Answer<std::string> newer_id) { take(asked, std::move(newer_id)); });
}

void LongPoll::take(const Watched& asked, Answer<std::string> newer_id) {
    asking_ = false;
    std::chrono::milliseconds pause = kPauseAfterNothing;
    try {
        if (newer_id.take() != asked.id && watched_ == asked) state_.want_template();
    } catch (const RpcError& error) {
        pause = error.failure == RpcFailure::kTimeout ? std::chrono::seconds(0) : kPauseAfterFailedPoll;
    }
    ask_after(watched_ == asked ? pause : kSettlingTime);
}

}  // namespace gpuminer::net
