// Requests to a full node, as its HTTP server reads them.
#pragma once

#include <optional>
#include <string>

#include "tests/net/transport/scripted_server.hpp"

namespace gpuminer::test {

struct NodeRequest {
    std::string authorization;
    std::string body;
};
/// Empty: the client has closed, or it is no request.
[[nodiscard]] std::optional<NodeRequest> read_node_request(Peer& peer);

}  // namespace gpuminer::test
