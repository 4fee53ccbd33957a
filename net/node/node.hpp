// Full node, Bitcoin Core or btcd: the calls that solo mining makes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "net/bitcoin/block_template.hpp"
#include "net/bitcoin/chain.hpp"
#include "net/node/rpc.hpp"
#include "net/node/submit_reasons.hpp"
#include "net/transport/off_loop.hpp"

namespace gpuminer::net {

/// getblockchaininfo. What a node does not tell is empty or zero.
struct ChainInfo {
    std::string name;            ///< as the node says it: "main", "mainnet", …; not safe to print as it is
    std::optional<Chain> chain;  ///< empty: not one that is known here
    std::uint64_t blocks = 0, headers = 0;
    bool initial_download = false;
};

/// Where a block stands after a node accepted it.
enum class ChainPosition {
    kOnBestChain,
    kSideChain,
    kAbsent,   ///< the node does not know it (after a crash), or it is btcd, and it is on a side chain
    kUnknown,  ///< the node does not tell
};

/// One call at a time, on the loop's thread. What a call answers may be RpcError, for replies of the wrong form, too.
class Node {
public:
    /// Loops outlive it. Throws InputError for a certificate file that cannot be used.
    Node(EventLoop& loop, OffLoop& off_loop, const NodeAccess& access)
        : off_loop_(off_loop), before_parse_(access.before_parse), rpc_(loop, access) {}
    ~Node() { cancel(); }

    void chain_info(OnAnswer<ChainInfo> done);
    /// Peers of the node.
    void connections(OnAnswer<std::uint64_t> done);
    /// False for any other node, and for one that does not let us ask.
    void is_btcd(OnAnswer<bool> done);
    /// Parsed off the loop. NetworkError: the template makes no sense.
    void block_template(Chain chain, OnAnswer<std::shared_ptr<const BlockTemplate>> done);
    /// The reply comes when the node has news after the template with `long_poll_id`: the id of the newer template;
    /// empty: it has no id.
    void long_poll(Chain chain, const std::string& long_poll_id, std::chrono::seconds time_limit,
                   OnAnswer<std::string> done);
    void best_block_hash(OnAnswer<Hash256> done);
    /// Seconds since 1970, from the block's header.
    void block_time(const Hash256& hash, OnAnswer<std::uint32_t> done);
    /// Is it on the node's best chain? (btcd says "accepted" of a block that is not, too.)
    void standing(const Hash256& hash, OnAnswer<ChainPosition> done);
    /// `params`: submit_params().
    void submit_block(const std::string& params, OnAnswer<BlockReply> done);

    /// The call in flight is dropped, without an answer.
    void cancel();
    [[nodiscard]] std::string name() const { return rpc_.url().text(); }

private:
    template <typename T, typename Read>
    void call(const char* method, const nlohmann::json& params, Read read, OnAnswer<T> done);
    /// getblocktemplate. `read`: from its result, off the loop.
    template <typename T, typename Read>
    void call_for_template(Chain chain, const std::string& long_poll_id, std::chrono::seconds time_limit, Read read,
                           OnAnswer<T> done);

    OffLoop& off_loop_;
    const std::function<void()> before_parse_;
    RpcClient rpc_;
    std::shared_ptr<std::stop_source> parsing_;  ///< of the call in flight
};

/// Parameters of submitblock. `work_id`: the template's, BIP 22; empty: none.
[[nodiscard]] std::string submit_params(const std::string& block_hex, const std::string& work_id);

}  // namespace gpuminer::net
