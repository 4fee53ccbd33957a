#include "net/solo/long_poll.hpp"

namespace gpuminer::net {
namespace {

constexpr auto kTimeLimit = std::chrono::minutes(10);  // then it is asked again
// While blocks come many a second, as on a network of the user's own, nobody needs a long poll.
constexpr auto kSettlingTime = std::chrono::milliseconds(200);
constexpr auto kPauseAfterTrouble = std::chrono::seconds(5);  // the tip is asked for in any case
constexpr auto kPauseAfterNothing = std::chrono::seconds(2);  // a node that replies at once has no long poll

}  // namespace

LongPoll::LongPoll(SoloState& shared) : shared_(shared) {
    for (const NodeAccess& access : shared.nodes) nodes_.push_back(std::make_unique<Node>(access));
    thread_ = std::thread([this] { run(); });
}

LongPoll::~LongPoll() {
    {
        const std::lock_guard lock(shared_.mutex);
        shared_.stop = true;
    }
    shared_.changed.notify_all();
    cancel();
    thread_.join();
}

void LongPoll::cancel() {
    for (auto& node : nodes_) node->cancel();
}

void LongPoll::watch(std::size_t node_index, Chain chain, const std::string& long_poll_id) {
    {
        const std::lock_guard lock(shared_.mutex);
        watched_ = {node_index, chain, long_poll_id};
    }
    shared_.changed.notify_all();
}

void LongPoll::run() {
    std::unique_lock lock(shared_.mutex);
    while (true) {
        shared_.changed.wait(lock, [&] { return shared_.stop || !watched_.id.empty(); });
        const Watched watched = watched_;
        const auto is_other = [&] { return shared_.stop || watched_ != watched; };
        if (shared_.changed.wait_for(lock, kSettlingTime, is_other)) {
            if (shared_.stop) return;
            continue;
        }
        lock.unlock();
        std::chrono::milliseconds pause = kPauseAfterNothing;
        try {
            const bool news = ask(watched);
            lock.lock();
            if (news && watched_ == watched) {
                shared_.template_wanted = true;
                shared_.changed.notify_all();
            }
        } catch (const RpcError& error) {
            lock.lock();
            pause = error.failure == RpcFailure::kTimeout ? std::chrono::seconds(0) : kPauseAfterTrouble;
        }
        shared_.changed.wait_for(lock, pause, is_other);
    }
}

bool LongPoll::ask(const Watched& watched) {
    const auto reply = nodes_[watched.node]->block_template(watched.chain, watched.id, kTimeLimit);
    if (!reply.is_object()) return false;
    const auto id = reply.find("longpollid");
    return id == reply.end() || *id != watched.id;
}

}  // namespace gpuminer::net
