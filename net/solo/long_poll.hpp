// Long poll (BIP 22): the thread whose pending getblocktemplate call the node answers when there is a new block. Only
// with btcd: in Bitcoin Core each such call takes one of the few threads that answer calls, even after its caller is
// gone, so that a few miners, or one that is started a few times, would leave none for submitblock.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "host/mutex.hpp"
#include "net/node/node.hpp"
#include "net/solo/state.hpp"

namespace gpuminer::net {

class LongPoll {
public:
    /// Starts the thread. The destructor ends it, and its call.
    explicit LongPoll(SoloState& state);

    /// From now on state.want_template() is called when the node has a newer template than this one. Empty id: never.
    void watch(std::size_t node_index, Chain chain, const std::string& long_poll_id);
    /// The thread and its call end soon.
    void request_stop() { thread_.request_stop(); }

private:
    struct Watched {
        std::size_t node = 0;  ///< index
        Chain chain = Chain::kMain;
        std::string id;  ///< empty: nothing
        friend bool operator==(const Watched&, const Watched&) = default;
    };
    void run(const std::stop_token& stop);
    /// Makes the call. False: the node has no newer template. Throws RpcError.
    bool ask(const Watched& watched);

    SoloState& state_;
    std::vector<std::unique_ptr<Node>> nodes_;  ///< used by the thread alone, but for Node::cancel()

    Mutex mutex_;  ///< held while SoloState's is taken
    Condition changed_;
    Watched watched_ GPUMINER_GUARDED_BY(mutex_);

    std::jthread thread_;
};

}  // namespace gpuminer::net
