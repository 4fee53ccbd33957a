#include "web/remote_miner.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/transport/event_loop.hpp"
#include "net/transport/http_client.hpp"
#include "net/transport/own_address.hpp"
#include "net/transport/tls.hpp"
#include "net/transport/url.hpp"
#include "web/token_file.hpp"

namespace gpuminer::web {
namespace {

using Json = nlohmann::ordered_json;

/// What is sent there stays on this machine, or nobody on the way can read it.
bool is_private(const MinerAddress& miner) {
    return miner.host.empty() || miner.tls || net::is_local_host(miner.host) || net::is_own_address(miner.host);
}

/// As the header field has it. Throws InputError.
std::string authorization(const MinerAddress& miner) {
    if (miner.token_file.empty()) throw InputError("expected --http-token-file FILE, the running miner's");
    if (!is_private(miner))
        throw InputError(fmt::format("the token is sent within this machine or over https:// alone, and not to {}",
                                     place_of(miner)));
    return "Bearer " + read_token(miner.token_file);
}

net::HttpResult ask(const MinerAddress& miner, const net::HttpRequest& request) {
    constexpr std::chrono::seconds kPatience{10};
    net::EventLoop loop;
    net::HttpOptions options;
    options.channel.host = miner.host;
    options.channel.port = miner.port;
    options.channel.unix_path = miner.unix_path;
    if (miner.tls) options.channel.tls = net::make_tls_context({}, "the certificate is not trusted here");
    net::HttpClient client(loop, std::move(options));
    net::HttpResult reply;
    client.send(request, kPatience, [&](net::HttpResult result) {
        reply = std::move(result);
        loop.stop();
    });
    loop.run();
    return reply;
}

net::HttpRequest request_of(const char* method, const std::string& path) {
    net::HttpRequest request;
    request.method = method;
    request.target = "/api/v1/" + path;
    return request;
}

/// `format`: the document's, "gpuminer pairing".
Json document_of(const net::HttpResult& reply, const std::string& place, const char* format) {
    if (reply.status == 0) throw NetworkError(reply.sentence);
    Json json = Json::parse(reply.body, nullptr, false);
    const auto text = [&](const char* name) {
        const Json value = json.is_object() ? json.value(name, Json()) : Json();
        return value.is_string() ? value.get<std::string>() : "";
    };
    if (!text("format").starts_with("gpuminer "))
        throw NetworkError(fmt::format("{} answers, and is no gpuminer", place));
    if (reply.status != 200) throw NetworkError(fmt::format("{}: {}", place, printable(text("error"))));
    if (text("format") != format)
        throw NetworkError(fmt::format("{} answers with another document than {}", place, format));
    return json;
}

}  // namespace

std::string place_of(const MinerAddress& miner) {
    return miner.host.empty() ? miner.unix_path : net::host_and_port(miner.host, miner.port);
}

Json read_from_miner(const MinerAddress& miner, const std::string& path, const char* format) {
    net::HttpRequest request = request_of("GET", path);
    net::HttpResult reply = ask(miner, request);
    constexpr int kUnauthorized = 401;
    if (reply.status == kUnauthorized) {  // on its own machine everyone may read, as a rule
        request.authorization = authorization(miner);
        reply = ask(miner, request);
    }
    return document_of(reply, place_of(miner), format);
}

Json post_to_miner(const MinerAddress& miner, const std::string& path, const char* format) {
    net::HttpRequest request = request_of("POST", path);
    request.authorization = authorization(miner);
    return document_of(ask(miner, request), place_of(miner), format);
}

}  // namespace gpuminer::web
