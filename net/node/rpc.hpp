// JSON-RPC over HTTP or HTTPS, as Bitcoin Core and btcd speak it.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "net/node/url.hpp"

namespace gpuminer::net {

enum class RpcFailure {
    kUnreachable,      ///< no connection, or it broke; no cookie file (the node is not running)
    kTimeout,          ///< connected, but no reply in time
    kUnverified,       ///< the certificate is not one to trust
    kUnauthorized,     ///< wrong user or password (HTTP 401), or refused for other reasons (403)
    kHttp,             ///< another HTTP status without a JSON-RPC reply
    kMalformed,        ///< not a JSON-RPC reply, or too large a one
    kWarmingUp,        ///< error -28: the node has just started
    kInitialDownload,  ///< error -10: it does not know the whole chain yet
    kNotConnected,     ///< error -9: it has no peers
    kNoMethod,         ///< error -32601
    kRefused,          ///< any other error of the node's
    kCancelled,        ///< cancel() was called
};

/// Its text is one sentence that names the node, without a password.
struct RpcError : NetworkError {
    RpcError(RpcFailure why, const std::string& sentence, std::string node_said = {})
        : NetworkError(sentence), failure(why), message(std::move(node_said)) {}
    RpcFailure failure;
    std::string message;  ///< the node's own words, where it has given a JSON-RPC error; not safe to print as it is
};

/// A connection that is kept open between calls. One thread calls; cancel() may come from any.
class RpcClient {
public:
    /// Throws InputError where the certificate file cannot be read.
    explicit RpcClient(NodeAccess access);
    ~RpcClient();
    RpcClient(const RpcClient&) = delete;
    RpcClient& operator=(const RpcClient&) = delete;

    /// The reply's `result`. `time_limit` is that of the whole call; connecting takes at most 5 s of it. A connection
    /// that the node has closed meanwhile is opened again; a cookie that is refused is read again. Throws RpcError.
    nlohmann::json call(const std::string& method, const nlohmann::json& params = nlohmann::json::array(),
                        std::chrono::milliseconds time_limit = std::chrono::seconds(30));
    /// The call under way fails at once with kCancelled (unless it is looking up a name), and so does every later one.
    void cancel();
    [[nodiscard]] const NodeUrl& url() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Reads a reply: HTTP status and body. Throws RpcError. `node` is for its sentences.
[[nodiscard]] nlohmann::json parse_rpc_reply(int status, const std::string& body, const std::string& node,
                                             const std::string& method);

}  // namespace gpuminer::net
