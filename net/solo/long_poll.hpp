// Waits, on a thread of its own, for the node to say that there is a new block (long poll, BIP 22). Only with btcd: in
// Bitcoin Core each such call takes one of the few threads that answer calls, also when who made it is long gone, so
// that a few miners, or one that is started a few times, would leave none for submitblock.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "net/node/node.hpp"
#include "net/solo/state.hpp"

namespace gpuminer::net {

class LongPoll {
public:
    explicit LongPoll(SoloState& shared);
    ~LongPoll();
    LongPoll(const LongPoll&) = delete;
    LongPoll& operator=(const LongPoll&) = delete;

    /// From now on news about this template are waited for; shared.want_template() is called when they come.
    void watch(std::size_t node_index, Chain chain, const std::string& long_poll_id);
    void cancel();

private:
    struct Watched {
        std::size_t node = 0;
        Chain chain = Chain::kMain;
        std::string id;  ///< empty: nothing
        friend bool operator==(const Watched&, const Watched&) = default;
    };
    void run();
    /// False: there was no news.
    bool ask(const Watched& watched);

    SoloState& shared_;
    std::vector<std::unique_ptr<Node>> nodes_;
    Watched watched_;  ///< guarded by shared_.mutex
    std::thread thread_;
};

}  // namespace gpuminer::net
