// JSON-RPC client over HTTP or HTTPS, for Bitcoin Core and btcd.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <nlohmann/json_fwd.hpp>

#include "host/errors.hpp"
#include "net/node/url.hpp"
#include "net/steady_time.hpp"
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

/// The outcome of an asynchronous call, a value or an exception.
template <typename T>
class Answer {
public:
    Answer(T value) : outcome_(std::move(value)) {}
    Answer(std::exception_ptr failure) : outcome_(std::move(failure)) {}
    /// What `read` returns or throws.
    template <typename Read>
    [[nodiscard]] static Answer of(const Read& read) {
        try {
            return Answer(read());
        } catch (...) {
            return Answer(std::current_exception());
        }
    }
    /// The value, once. Throws the exception.
    [[nodiscard]] T take() {
        if (failure()) std::rethrow_exception(failure());
        return std::move(std::get<T>(outcome_));
    }

    /// Null: there is a value.
    [[nodiscard]] std::exception_ptr failure() const {
        const auto* const failure = std::get_if<std::exception_ptr>(&outcome_);
        return failure == nullptr ? nullptr : *failure;
    }

private:
    std::variant<T, std::exception_ptr> outcome_;
};

/// Called once, later, on the event loop's thread.
template <typename T>
using OnAnswer = std::function<void(Answer<T>)>;

/// The calls to a node that has said that it is too busy, one at a time. Shared by all that call the node, on one event
/// loop's thread.
class CallGate {
public:
    /// Where the node has been too busy within the last minute, calls wait until no other is under way, but not for
    /// ever: a block must not be late for a call that hangs.
    static constexpr std::chrono::seconds kLongestWait{5};

    /// Whether a call may begin.
    [[nodiscard]] bool open() const;
    void enter() { ++under_way_; }
    /// After each call that entered. May run tasks that wait.
    void leave();
    /// Runs `task` once, when the gate opens, unless forget() comes first. `who` is its name here.
    void wait(const void* who, std::function<void()> task) { waiting_.emplace_back(who, std::move(task)); }
    void forget(const void* who);
    void note_busy();

private:
    unsigned under_way_ = 0;
    SteadyTime busy_until_{};
    std::deque<std::pair<const void*, std::function<void()>>> waiting_;
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
