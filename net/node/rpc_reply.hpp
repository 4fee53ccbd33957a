// JSON-RPC replies of nodes: results, and sentences for errors.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::net {

/// What a reply is to.
struct RpcCall {
    std::string node, method;  ///< for sentences
    std::size_t most_values;   ///< of JSON in the reply, at all levels
    std::stop_token stop{};    ///< a stop means that nobody waits for it any more
};

/// Reads a reply: HTTP status and body. Throws RpcError.
[[nodiscard]] nlohmann::json parse_rpc_reply(int status, const std::string& body, const RpcCall& call);

/// Bitcoin Core's and btcd's words for a call more than they take.
[[nodiscard]] bool says_busy(int status, const std::string& body);

}  // namespace gpuminer::net
