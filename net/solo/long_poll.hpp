// Long poll (BIP 22): the pending getblocktemplate call that the node answers when there is a new block. Only with
// btcd: in Bitcoin Core each such call takes one of the few threads that answer calls, even after its caller is gone,
// so that a few miners, or one that is started a few times, would leave none for submitblock.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "net/node/node.hpp"
#include "net/solo/state.hpp"

namespace gpuminer::net {

/// On the loop's thread.
class LongPoll {
public:
    /// References outlive it. Throws InputError for a certificate file that cannot be used.
    LongPoll(SoloState& state, OffLoop& off_loop);

    /// From now on state.want_template() is called when the node has a newer template than this one. Empty id: never.
    void watch(std::size_t node_index, Chain chain, const std::string& long_poll_id);
    /// The call in flight is dropped, and no more are made.
    void stop();

private:
    struct Watched {
        std::size_t node = 0;  ///< index
        Chain chain = Chain::kMain;
        std::string id;  ///< empty: nothing
        friend bool operator==(const Watched&, const Watched&) = default;
    };
    void ask_after(std::chrono::milliseconds pause);
    void ask();
    void take(const Watched& asked, Answer<std::string> newer_id);

    SoloState& state_;
    std::vector<std::unique_ptr<Node>> nodes_;
    Watched watched_;
    bool asking_ = false;
    Timer pause_;
};

}  // namespace gpuminer::net
