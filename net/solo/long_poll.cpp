#include "net/solo/long_poll.hpp"

#include <chrono>

#include <nlohmann/json.hpp>

namespace gpuminer::net {
namespace {

constexpr auto kTimeLimit = std::chrono::minutes(10);  // then it is asked again
// While blocks come many a second, as on a network of the user's own, nobody needs a long poll.
constexpr auto kSettlingTime = std::chrono::milliseconds(200);
constexpr auto kPauseAfterFailedPoll = std::chrono::seconds(5);  // the tip is asked for in any case
constexpr auto kPauseAfterNothing = std::chrono::seconds(2);     // a node that replies at once has no long poll

}  // namespace

LongPoll::LongPoll(SoloState& state) : state_(state) {
    for (NodeAccess access : state.nodes.access) {
        access.gate = nullptr;  // others would have to wait for minutes
        nodes_.push_back(std::make_unique<Node>(access));
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void LongPoll::watch(std::size_t node_index, Chain chain, const std::string& long_poll_id) {
    {
        const MutexLock lock(mutex_);
        watched_ = {node_index, chain, long_poll_id};
    }
    changed_.notify_all();
}

void LongPoll::run(const std::stop_token& stop) {
    const std::stop_callback cancel(stop, [this] {
        for (const auto& node : nodes_) node->cancel();
    });
    MutexLock lock(mutex_);
    while (!stop.stop_requested()) {
        changed_.wait(mutex_, stop, [this]() GPUMINER_REQUIRES(mutex_) { return !watched_.id.empty(); });
        const Watched watched = watched_;
        const auto is_other = [&]() GPUMINER_REQUIRES(mutex_) { return watched_ != watched; };
        if (changed_.wait_for(mutex_, stop, kSettlingTime, is_other) || stop.stop_requested()) continue;
        std::chrono::milliseconds pause = kPauseAfterNothing;
        bool newer = false;
        lock.unlock();
        try {
            newer = ask(watched);
        } catch (const RpcError& error) {
            pause = error.failure == RpcFailure::kTimeout ? std::chrono::seconds(0) : kPauseAfterFailedPoll;
        }
        lock.lock();
        if (newer && watched_ == watched) state_.want_template();
        changed_.wait_for(mutex_, stop, pause, is_other);
    }
}

bool LongPoll::ask(const Watched& watched) {
    const auto reply = nodes_[watched.node]->block_template(watched.chain, watched.id, kTimeLimit);
    if (!reply.is_object()) return false;
    const auto id = reply.find("longpollid");
    return id == reply.end() || *id != watched.id;
}

}  // namespace gpuminer::net
