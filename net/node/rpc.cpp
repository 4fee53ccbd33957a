#include "net/node/rpc.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/files/own_file.hpp"
#include "host/text/text.hpp"
#include "net/node/cookie_file.hpp"
#include "net/node/rpc_reply.hpp"
#include "net/steady_time.hpp"
#include "net/transport/http_client.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

HttpOptions http_options(const NodeAccess& access) {
    HttpOptions options;
    options.channel.host = access.url.host;
    options.channel.port = access.url.port;
    options.channel.step_limit = std::chrono::seconds(5);
    if (access.url.tls) {  // reading the system's certificates takes milliseconds
        options.channel.tls = make_tls_context(access.tls, "--cert FILE names it, such as btcd's rpc.cert");
    }
    options.silent = access.silent;
    options.silence = std::chrono::seconds(5);
    return options;
}

std::string authorization_for(const std::string& login) {
    const auto colon = login.find(':');
    return basic_authorization(login.substr(0, colon), colon == std::string::npos ? "" : login.substr(colon + 1));
}

constexpr std::chrono::minutes kBusyFor(1);

}  // namespace

bool CallGate::open() const { return under_way_ == 0 || steady_now() >= busy_until_; }

void CallGate::leave() {
    --under_way_;
    while (!waiting_.empty() && open()) {
        const auto next = std::move(waiting_.front().second);
        waiting_.pop_front();
        next();
    }
}

void CallGate::forget(const void* who) {
    std::erase_if(waiting_, [who](const auto& waiting) { return waiting.first == who; });
}

void CallGate::note_busy() { busy_until_ = steady_now() + kBusyFor; }

/// The call in flight goes through the gate, gets a login, is sent, and once more where the login was an old one.
struct RpcClient::Impl {
    Impl(EventLoop& loop, const NodeAccess& a)
        : access(a),
          node(access.url.text()),
          http(loop, http_options(access)),
          cookie(loop, access.cookie_file),
          gate_limit(loop) {}
    ~Impl() { cancel(); }

    void start() {
        if (!access.gate || access.gate->open()) return enter();
        const auto go = [this] {
            access.gate->forget(this);
            gate_limit.cancel();
            enter();
        };
        access.gate->wait(this, go);
        gate_limit.start(CallGate::kLongestWait, go);
    }

    void enter() {
        if (access.gate) access.gate->enter();
        in_gate = true;
        used_login ? send() : renew_login();
    }

    /// Reads the login and sends the call, unless `refused`, the reply to the last attempt, was to the same login.
    void renew_login(std::optional<RawReply> refused = {}) {
        const NodeUrl& url = access.url;
        if (!url.user.empty() || !url.password.empty() || access.cookie_file.empty()) {
            return use_login(url.user + ':' + url.password, std::move(refused));
        }
        cookie.read(end, [this, refused = std::move(refused)](const FileText& file) {
            if (file.failure.empty()) return use_login(file.text, refused);
            fail(RpcFailure::kUnreachable, fmt::format("cannot read {}, the cookie of {} ({}); is the node running?",
                                                       shown_path(access.cookie_file), node, file.failure));
        });
    }

    void use_login(const std::string& login, std::optional<RawReply> refused) {
        if (refused && login == used_login) return finish(std::move(*refused));
        used_login = login;
        renewed = refused.has_value();
        send();
    }

    void send() {
        HttpRequest request;
        request.target = access.url.path;
        request.authorization = authorization_for(*used_login);
        request.content_type = "application/json";
        request.body = text;
        request.longest_reply = limits.bytes;
        const auto left = std::chrono::ceil<milliseconds>(end - steady_now());
        http.send(request, std::max(left, milliseconds(0)), [this](HttpResult result) { received(std::move(result)); });
    }

    void received(HttpResult result) {
        if (result.status == 0) return fail_transfer(result);
        RawReply reply{result.status, std::move(result.body)};
        // The node may have been started again since, with a new cookie.
        if (reply.status == 401 && !renewed) return renew_login(std::move(reply));
        if (access.gate && says_busy(reply.status, reply.body)) access.gate->note_busy();
        finish(std::move(reply));
    }

    void finish(Answer<RawReply> answer) {
        const auto tell = std::exchange(done, nullptr);
        text = {};  // a block may have megabytes
        leave_gate();
        tell(std::move(answer));  // the last, as it may call again
    }

    void fail(RpcFailure failure, const std::string& sentence) {
        std::exception_ptr error = std::make_exception_ptr(RpcError(failure, sentence));
        finish(std::move(error));  // nothing of it stays here: the answer may go to another thread
    }

    void fail_transfer(const HttpResult& result) {
        switch (result.failure) {
            case HttpFailure::kName:
                return fail(RpcFailure::kUnreachable, fmt::format("{} cannot be reached: the name {} is not known",
                                                                  node, quoted_text(access.url.host, 100)));
            case HttpFailure::kConnect:
                return fail(RpcFailure::kUnreachable,
                            fmt::format("{} cannot be reached; is the node running, and is this its RPC port?", node));
            case HttpFailure::kHandshake: return fail(RpcFailure::kUnreachable, result.sentence);
            case HttpFailure::kCertificate: return fail(RpcFailure::kUnverified, result.sentence);
            case HttpFailure::kTimeout:
                return fail(RpcFailure::kTimeout, fmt::format("{} does not answer {} in time", node, method));
            case HttpFailure::kTooLong:
                return fail(RpcFailure::kMalformed, fmt::format("the reply of {} to {} is longer than {} MiB", node,
                                                                method, limits.bytes >> 20U));
            case HttpFailure::kMalformed:
                return fail(RpcFailure::kMalformed, fmt::format("the reply of {} to {} is not HTTP", node, method));
            case HttpFailure::kBroken: break;
        }
        fail(RpcFailure::kUnreachable, fmt::format("the connection to {} broke during {}", node, method));
    }

    void leave_gate() {
        if (std::exchange(in_gate, false) && access.gate) access.gate->leave();
    }

    void cancel() {
        done = nullptr;
        http.cancel();
        cookie.cancel();
        gate_limit.cancel();
        if (access.gate) access.gate->forget(this);
        leave_gate();
    }

    const NodeAccess access;
    const std::string node;  ///< for messages
    HttpClient http;
    CookieFile cookie;
    Timer gate_limit;
    std::optional<std::string> used_login;
    std::uint64_t id = 0;
    // Of the call in flight:
    std::string method, text;
    CallLimits limits;
    SteadyTime end{};
    bool in_gate = false;
    bool renewed = false;  ///< the login, after it was refused
    OnAnswer<RawReply> done;
};

RpcClient::RpcClient(EventLoop& loop, const NodeAccess& access) : impl_(std::make_unique<Impl>(loop, access)) {}
RpcClient::~RpcClient() = default;

void RpcClient::call_raw(const std::string& method, const std::string& params, const CallLimits& limits,
                         OnAnswer<RawReply> done) {
    Impl& call = *impl_;
    call.end = steady_now() + limits.time;
    call.method = method;
    // "1.0" in every request: btcd answers with an empty body without it.
    call.text = fmt::format(R"({{"jsonrpc":"1.0","id":{},"method":"{}","params":{}}})", ++call.id, method, params);
    call.limits = limits;
    call.renewed = false;
    call.done = std::move(done);
    call.start();
}

void RpcClient::call(const std::string& method, const json& params, OnAnswer<json> done) {
    const CallLimits limits;
    const auto parse = [this, method, limits, done = std::move(done)](Answer<RawReply> answer) {
        done(Answer<json>::of([&] {
            const RawReply reply = answer.take();
            return parse_rpc_reply(reply.status, reply.body, {impl_->node, method, limits.values});
        }));
    };
    call_raw(method, params.dump(), limits, parse);
}

void RpcClient::call(const std::string& method, OnAnswer<json> done) { call(method, json::array(), std::move(done)); }

void RpcClient::cancel() { impl_->cancel(); }

const NodeUrl& RpcClient::url() const { return impl_->access.url; }

}  // namespace gpuminer::net
