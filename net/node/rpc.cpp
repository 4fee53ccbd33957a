#include "net/node/rpc.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/text.hpp"
#include "net/node/call_gate.hpp"
#include "net/node/cookie_file.hpp"
#include "net/node/rpc_reply.hpp"
#include "net/transport/basic_auth.hpp"
#include "net/transport/event_loop.hpp"
#include "net/transport/http_client.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

HttpOptions http_options(const NodeAccess& access) {
    const auto tls = make_tls_context(access.tls, "--cert FILE names it, such as btcd's rpc.cert");
    HttpOptions options;
    options.channel.host = access.url.host;
    options.channel.port = access.url.port;
    options.channel.step_limit = std::chrono::seconds(5);
    if (access.url.tls) options.channel.tls = tls;
    options.silent = access.silent;
    options.silence = access.name_silence;
    return options;
}

std::string authorization_for(const std::string& login) {
    const auto colon = login.find(':');
    return basic_authorization(login.substr(0, colon), colon == std::string::npos ? "" : login.substr(colon + 1));
}

/// A call that has entered its node's gate. Null: there is no gate.
struct LeaveGate {
    void operator()(CallGate* gate) const { gate->leave(); }
};
using Pass = std::unique_ptr<CallGate, LeaveGate>;

}  // namespace

struct RpcClient::Impl {
    explicit Impl(NodeAccess a)
        : access(std::move(a)),
          node(access.url.text()),
          http(loop, http_options(access)),
          cookie(loop, access.cookie_file) {}

    /// "user:password". Throws RpcError where the cookie cannot be read.
    std::string read_login(steady_clock::time_point end) {
        const NodeUrl& url = access.url;
        if (!url.user.empty() || !url.password.empty() || access.cookie_file.empty()) {
            return url.user + ':' + url.password;
        }
        FileText file = cookie.read(end);
        throw_if_cancelled();
        if (file.failure.empty()) return std::move(file.text);
        throw RpcError(RpcFailure::kUnreachable,
                       fmt::format("cannot read {}, the cookie of {} ({}); is the node running?",
                                   quoted_text(access.cookie_file.string(), 200), node, file.failure));
    }

    /// Throws RpcError.
    Pass enter() {
        if (access.gate && !access.gate->enter(stop.get_token())) throw cancelled_call();
        return Pass(access.gate.get());
    }

    /// True where it is another one than before. Throws RpcError.
    bool renew_login(steady_clock::time_point end) {
        std::string login = read_login(end);
        if (login == used_login) return false;
        used_login = std::move(login);
        return true;
    }

    /// Throws RpcError.
    HttpResult post(const std::string& text, steady_clock::time_point end, std::size_t longest,
                    const std::string& method) {
        HttpRequest request;
        request.target = access.url.path;
        request.authorization = authorization_for(*used_login);
        request.content_type = "application/json";
        request.body = text;
        request.longest_reply = longest;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
        HttpResult result;
        done = false;
        http.post(request, std::max(left, std::chrono::milliseconds(0)), [&](HttpResult reply) {
            result = std::move(reply);
            done = true;
        });
        loop.run_until(done);
        throw_if_cancelled();
        if (result.status == 0) throw_failure(result, longest, method);
        return result;
    }

    void throw_if_cancelled() const {
        if (stop.stop_requested()) throw cancelled_call();
    }

    /// On the calling thread, in the loop.
    void abort() {
        http.cancel();
        cookie.stop();
        done = true;
    }

    [[noreturn]] void throw_failure(const HttpResult& result, std::size_t longest, const std::string& method) const {
        switch (result.failure) {
            case HttpFailure::kName:
                throw RpcError(RpcFailure::kUnreachable, fmt::format("{} cannot be reached: the name {} is not known",
                                                                     node, quoted_text(access.url.host, 100)));
            case HttpFailure::kConnect:
                throw RpcError(
                    RpcFailure::kUnreachable,
                    fmt::format("{} cannot be reached; is the node running, and is this its RPC port?", node));
            case HttpFailure::kHandshake: throw RpcError(RpcFailure::kUnreachable, result.sentence);
            case HttpFailure::kCertificate: throw RpcError(RpcFailure::kUnverified, result.sentence);
            case HttpFailure::kTimeout:
                throw RpcError(RpcFailure::kTimeout, fmt::format("{} does not answer {} in time", node, method));
            case HttpFailure::kTooLong:
                throw RpcError(RpcFailure::kMalformed, fmt::format("the reply of {} to {} is longer than {} MiB", node,
                                                                   method, longest >> 20U));
            case HttpFailure::kMalformed:
                throw RpcError(RpcFailure::kMalformed, fmt::format("the reply of {} to {} is not HTTP", node, method));
            case HttpFailure::kBroken: break;
        }
        throw RpcError(RpcFailure::kUnreachable, fmt::format("the connection to {} broke during {}", node, method));
    }

    const NodeAccess access;
    const std::string node;  ///< for messages
    EventLoop loop;          ///< runs on the thread that calls, while it calls
    HttpClient http;
    CookieFile cookie;
    bool done = false;      ///< the loop need not run any more
    std::stop_source stop;  ///< of all calls
    std::optional<std::string> used_login;
    std::uint64_t id = 0;
};

RpcError cancelled_call() { return {RpcFailure::kCancelled, "the call is cancelled"}; }

RpcClient::RpcClient(NodeAccess access) : impl_(std::make_unique<Impl>(std::move(access))) {}
RpcClient::~RpcClient() = default;

json RpcClient::call(const std::string& method, const json& params, const CallLimits& limits) {
    impl_->throw_if_cancelled();
    const auto end = steady_clock::now() + limits.time;
    const Pass pass = impl_->enter();
    // "1.0" in every request: btcd answers with an empty body without it.
    const json request = {{"jsonrpc", "1.0"}, {"id", ++impl_->id}, {"method", method}, {"params", params}};
    const std::string text = request.dump();
    if (!impl_->used_login) impl_->renew_login(end);
    HttpResult reply = impl_->post(text, end, limits.bytes, method);
    // The node may have been started again since, with a new cookie.
    if (reply.status == 401 && impl_->renew_login(end)) reply = impl_->post(text, end, limits.bytes, method);
    try {
        json result =
            parse_rpc_reply(reply.status, reply.body, {impl_->node, method, limits.values, impl_->stop.get_token()});
        impl_->throw_if_cancelled();
        return result;
    } catch (const RpcError& error) {
        if (error.failure == RpcFailure::kBusy && pass) pass->note_busy();
        throw;
    }
}

json RpcClient::call(const std::string& method) { return call(method, json::array()); }

void RpcClient::cancel() {
    impl_->stop.request_stop();
    impl_->loop.post([impl = impl_.get()] { impl->abort(); });
}

const NodeUrl& RpcClient::url() const { return impl_->access.url; }

}  // namespace gpuminer::net
