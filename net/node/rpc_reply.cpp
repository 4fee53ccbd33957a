#include "net/node/rpc_reply.hpp"

#include <cstddef>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/text/json_text.hpp"
#include "host/text/text.hpp"
#include "net/node/rpc.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepestReply = 32;   // levels; a block template has five
constexpr std::size_t kLongestWords = 160;  // of a node's message that the user gets to see

/// Iterator over a text that ends where nobody waits for it any more.
class Characters {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Characters(const char* at, const std::stop_token& stop) : at_(at), stop_(&stop) {}
    const char& operator*() const { return *at_; }
    Characters& operator++() {
        ++at_;
        return *this;
    }
    friend bool operator==(const Characters& a, const Characters& b) {
        return a.at_ == b.at_ || a.stop_->stop_requested();
    }

private:
    const char* at_;
    const std::stop_token* stop_;
};

/// Throws RpcError.
json parse_json(const std::string& body, const RpcCall& call) {
    const std::string bound = exceeded_bound(body, {.levels = kDeepestReply, .values = call.most_values});
    if (!bound.empty()) {
        throw RpcError(RpcFailure::kMalformed, fmt::format("the reply of {} to {} is too large: expected {}, got more",
                                                           call.node, call.method, bound));
    }
    try {
        return json::parse(Characters(body.data(), call.stop), Characters(body.data() + body.size(), call.stop));
    } catch (const json::exception&) {  // out_of_range, too: 1e999
        if (call.stop.stop_requested()) throw RpcError(RpcFailure::kCancelled, "the call is cancelled");
        const std::string what = body.empty() ? "is empty" : "is not JSON: " + quoted_text(body);
        throw RpcError(RpcFailure::kMalformed, fmt::format("the reply of {} to {} {}", call.node, call.method, what));
    }
}

RpcFailure failure_of(std::int64_t code) {
    switch (code) {
        case -28: return RpcFailure::kWarmingUp;
        case -10: return RpcFailure::kInitialDownload;
        case -9: return RpcFailure::kNotConnected;
        case -32601: return RpcFailure::kNoMethod;
        default: return RpcFailure::kRefused;
    }
}

[[noreturn]] void throw_node_error(const json& error, const RpcCall& call) {
    std::string message;
    std::int64_t code = 0;
    if (error.is_object()) {
        if (const auto it = error.find("message"); it != error.end() && it->is_string()) message = *it;
        if (const auto it = error.find("code"); it != error.end() && it->is_number_integer()) code = *it;
    }
    const std::string words = quoted_text(message, kLongestWords);
    const RpcFailure failure = failure_of(code);
    std::string sentence;
    switch (failure) {
        case RpcFailure::kWarmingUp: sentence = fmt::format("{} is still starting: {}", call.node, words); break;
        case RpcFailure::kInitialDownload:
            sentence = fmt::format("{} is in its initial sync and does not know the whole chain yet", call.node);
            break;
        case RpcFailure::kNotConnected:
            sentence = fmt::format("{} has no peers and gives no work, as nobody would hear of a block", call.node);
            break;
        case RpcFailure::kNoMethod:
            sentence = fmt::format("{} does not know the method {}", call.node, call.method);
            break;
        default: sentence = fmt::format("{} refuses {}: {} (error {})", call.node, call.method, words, code);
    }
    throw RpcError(failure, sentence, message);
}

[[noreturn]] void throw_http_error(int status, const std::string& body, const RpcCall& call) {
    if (says_busy(status, body)) {
        throw RpcError(RpcFailure::kBusy,
                       fmt::format("{} is busy: more calls are waiting than it accepts (Bitcoin Core's options are "
                                   "-rpcworkqueue and -rpcthreads)",
                                   call.node));
    }
    if (body.find("HTTP request to an HTTPS server") != std::string::npos) {
        throw RpcError(RpcFailure::kHttp, call.node + " wants https; write https:// in its address");
    }
    std::string said = body.empty() ? "" : ": " + quoted_text(body, kLongestWords);
    throw RpcError(RpcFailure::kHttp,
                   fmt::format("{} answers {} with HTTP status {}{}", call.node, call.method, status, said));
}

}  // namespace

bool says_busy(int status, const std::string& body) {
    return status == 503 &&
           (body.find("Work queue depth exceeded") != std::string::npos || body.find("Too busy") != std::string::npos);
}

json parse_rpc_reply(int status, const std::string& body, const RpcCall& call) {
    if (status == 401) {
        throw RpcError(RpcFailure::kUnauthorized, call.node + " does not accept the user name and password");
    }
    if (status == 403) {
        throw RpcError(RpcFailure::kUnauthorized,
                       fmt::format("{} does not let this computer, or this user, call {} (HTTP status 403; Bitcoin "
                                   "Core's options are -rpcallowip and -rpcwhitelist)",
                                   call.node, call.method));
    }
    // Core says with the status, too, that there is an error: 500, or 404 for an unknown method. The reply tells more.
    const bool may_hold_reply = status == 200 || status == 500 || (status == 404 && body.starts_with('{'));
    if (!may_hold_reply || (status != 200 && !body.starts_with('{'))) throw_http_error(status, body, call);

    json reply = parse_json(body, call);
    if (!reply.is_object()) {
        throw RpcError(RpcFailure::kMalformed, fmt::format("the reply of {} to {} is not a JSON object: {}", call.node,
                                                           call.method, quoted_text(body)));
    }
    if (const auto error = reply.find("error"); error != reply.end() && !error->is_null()) {
        throw_node_error(*error, call);
    }
    const auto result = reply.find("result");
    if (result == reply.end()) {
        throw RpcError(RpcFailure::kMalformed,
                       fmt::format("the reply of {} to {} has neither a result nor an error", call.node, call.method));
    }
    return std::move(*result);
}

}  // namespace gpuminer::net
