// JSON-RPC replies of nodes: results, and sentences for errors.
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace gpuminer::net {

/// Reads a reply: HTTP status and body. Throws RpcError, also for one of more than `most_values` JSON values. `node` is
/// for its sentences.
[[nodiscard]] nlohmann::json parse_rpc_reply(int status, const std::string& body, std::size_t most_values,
                                             const std::string& node, const std::string& method);

}  // namespace gpuminer::net
