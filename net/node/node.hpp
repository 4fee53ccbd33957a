// Full node, Bitcoin Core or btcd: the calls that solo mining makes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "host/block/hash256.hpp"
#include "net/bitcoin/chain.hpp"
#include "net/node/rpc.hpp"
#include "net/node/submit_reasons.hpp"

namespace gpuminer::net {

/// getblockchaininfo. What a node does not tell is empty or zero.
struct ChainInfo {
    std::string name;            ///< as the node says it: "main", "mainnet", …; not safe to print as it is
    std::optional<Chain> chain;  ///< empty: not one that is known here
    std::uint64_t blocks = 0, headers = 0;
    bool initial_download = false;
};

/// Where a block stands after a node accepted it.
enum class ChainPosition { kOnBestChain, kSideChain, kUnknown };

/// One thread uses it, but for cancel(). All calls throw RpcError, for replies of the wrong form, too.
class Node {
public:
    explicit Node(const NodeAccess& access) : rpc_(access) {}

    [[nodiscard]] ChainInfo chain_info();
    /// Peers of the node.
    [[nodiscard]] std::uint64_t connections();
    /// False for any other node, and for one that does not let us ask.
    [[nodiscard]] bool is_btcd();
    /// getblocktemplate's result. `long_poll_id`: empty for one at once; otherwise the reply comes when there is news.
    [[nodiscard]] nlohmann::json block_template(Chain chain, const std::string& long_poll_id = {},
                                                std::chrono::seconds time_limit = std::chrono::seconds(30));
    [[nodiscard]] Hash256 best_block_hash();
    /// Seconds since 1970, from the block's header.
    [[nodiscard]] std::uint32_t block_time(const Hash256& hash);
    /// Is it on the node's best chain? (btcd says "accepted" of a block that is not, too.)
    [[nodiscard]] ChainPosition standing(const Hash256& hash);
    /// `work_id`: the template's, BIP 22.
    [[nodiscard]] BlockReply submit_block(const std::string& block_hex, const std::string& work_id);

    void cancel() { rpc_.cancel(); }
    [[nodiscard]] std::string name() const { return rpc_.url().text(); }

private:
    RpcClient rpc_;
};

}  // namespace gpuminer::net
