// JSON-RPC client over HTTP or HTTPS, for Bitcoin Core and btcd.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/errors.hpp"
#include "net/node/answer.hpp"
#include "net/node/url.hpp"
#include "net/transport/event_loop.hpp"

namespace gpuminer::net {

enum class RpcFailure {
    kUnreachable,      ///< no connection, or it broke; no cookie file (the node is not running)
    kTimeout,          ///< connected, but no reply in time
    kUnverified,       ///< the certificate is not one to trust
    kUnauthorized,     ///< wrong user or password (HTTP 401), or refused for other reasons (403)
    kBusy,             ///< HTTP 503: more calls wait than it takes. It is alive, and may be asked again soon
    kHttp,             ///< another HTTP status without a JSON-RPC reply
    kMalformed,        ///< not a JSON-RPC reply, or too large a one
    kWarmingUp,        ///< error -28: the node has just started
    kInitialDownload,  ///< error -10: it does not know the whole chain yet
    kNotConnected,     ///< error -9: it has no peers
    kNoMethod,         ///< error -32601
    kRefused,          ///< any other error of the node's
    kCancelled,        ///< nobody waits for it any more
};

/// Its text is one sentence that names the node, without a password.
struct RpcError : NetworkError {
    RpcError(RpcFailure why, const std::string& sentence, std::string node_said = {})
        : NetworkError(sentence), failure(why), message(std::move(node_said)) {}
    RpcFailure failure;
    std::string message;  ///< the node's own words, where it has given a JSON-RPC error; not safe to print as it is
};

/// Before a call that failed with kBusy is repeated.
inline constexpr std::chrono::milliseconds kBusyPause(500);

/// Bounds of a call. Those of the reply hold for everything but a block template with a lot to spare.
struct CallLimits {
    std::chrono::milliseconds time = std::chrono::seconds(30);  ///< of the whole call
    std::size_t bytes = std::size_t{1} << 20;                   ///< of the reply
    std::size_t values = 10'000;                                ///< of JSON in the reply, at all levels
};

/// A reply that is still to be parsed.
struct RawReply {
    int status = 0;  ///< HTTP's
    std::string body;
};

/// Calls over a connection that is kept open between them, one at a time. On the loop's thread.
class RpcClient {
public:
    /// The loop has to outlive it. Throws InputError for a certificate file that cannot be used.
    RpcClient(EventLoop& loop, const NodeAccess& access);
    ~RpcClient();
    RpcClient(const RpcClient&) = delete;
    RpcClient& operator=(const RpcClient&) = delete;

    /// The reply's `result`, or RpcError. `params`: an array. The name look-up, connecting to an address and the TLS
    /// handshake take at most 5 s each. A connection that the node has closed meanwhile is opened again; a cookie that
    /// is refused is read again.
    void call(const std::string& method, const nlohmann::json& params, OnAnswer<nlohmann::json> done);
    void call(const std::string& method, OnAnswer<nlohmann::json> done);  ///< without parameters
    /// The same with parameters that are text already, and a reply that the caller parses (parse_rpc_reply()).
    void call_raw(const std::string& method, const std::string& params, const CallLimits& limits,
                  OnAnswer<RawReply> done);
    /// The call in flight is dropped, without an answer.
    void cancel();
    [[nodiscard]] const NodeUrl& url() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gpuminer::net
