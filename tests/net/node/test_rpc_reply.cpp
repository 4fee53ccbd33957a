// Results and errors from a node's replies.
#include <stdexcept>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "net/node/rpc.hpp"
#include "net/node/rpc_reply.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using nlohmann::json;

namespace {

constexpr std::size_t kMostValues = 100;

RpcError failure_of_reply(int status, const std::string& body) {
    try {
        (void)parse_rpc_reply(status, body, {"NODE", "METHOD", kMostValues});
    } catch (const RpcError& error) {
        return error;
    }
    throw std::runtime_error("the reply was taken: " + body);
}

std::string error_reply(int code, const std::string& message) {
    return json({{"result", nullptr}, {"error", {{"code", code}, {"message", message}}}, {"id", 1}}).dump();
}

}  // namespace

TEST_CASE("replies of nodes are read") {
    CHECK(parse_rpc_reply(200, R"({"result":[1,null],"error":null,"id":1})", {"N", "M", kMostValues}) ==
          json({1, nullptr}));
    CHECK(parse_rpc_reply(200, R"({"jsonrpc":"2.0","result":null,"id":1})", {"N", "M", kMostValues}).is_null());

    const std::pair<int, RpcFailure> codes[] = {{-28, RpcFailure::kWarmingUp},      {-10, RpcFailure::kInitialDownload},
                                                {-9, RpcFailure::kNotConnected},    {-32601, RpcFailure::kNoMethod},
                                                {-8, RpcFailure::kRefused},         {0, RpcFailure::kRefused},
                                                {-2147483648, RpcFailure::kRefused}};
    for (const auto& [code, failure] : codes) {
        for (const int status : {200, 500, 404}) {
            const RpcError error = failure_of_reply(status, error_reply(code, "Loading\nblock index"));
            CHECK(error.failure == failure);
            CHECK(error.message == "Loading\nblock index");
            CHECK(std::string(error.what()).find('\n') == std::string::npos);
            CHECK(std::string(error.what()).find("NODE") != std::string::npos);
        }
    }
}

TEST_CASE("replies of nodes that make no sense") {
    CHECK(failure_of_reply(401, "").failure == RpcFailure::kUnauthorized);
    CHECK(failure_of_reply(403, "").failure == RpcFailure::kUnauthorized);
    CHECK(failure_of_reply(503, "Work queue depth exceeded").failure == RpcFailure::kBusy);
    CHECK(failure_of_reply(503, "503 Too busy.  Try again later.\n").failure == RpcFailure::kBusy);  // btcd
    CHECK(failure_of_reply(503, "<html>Service Unavailable</html>").failure == RpcFailure::kHttp);   // a proxy
    CHECK(failure_of_reply(404, "<html>").failure == RpcFailure::kHttp);
    CHECK(failure_of_reply(500, "").failure == RpcFailure::kHttp);
    CHECK(failure_of_reply(302, "{}").failure == RpcFailure::kHttp);
    for (const std::string body : {"", "{", "null", "[]", "7", "\"x\"", "{}", R"({"id":1})", R"({"result":1} x)",
                                   "\xff\xfe", R"({"result":1e999})", "{\"result\":\"\xff\"}", R"({"error":null})"}) {
        INFO(body);
        CHECK(failure_of_reply(200, body).failure == RpcFailure::kMalformed);
    }
    CHECK(failure_of_reply(200, R"({"error":false,"result":1})").failure == RpcFailure::kRefused);
    CHECK(failure_of_reply(200, R"({"error":{"code":"x","message":[]}})").failure == RpcFailure::kRefused);
    CHECK(failure_of_reply(200, R"({"error":{"code":99999999999999999999}})").failure == RpcFailure::kRefused);
    const std::string deep(1'000'000, '[');
    CHECK(std::string(failure_of_reply(200, deep).what()).find("at most 32 levels") != std::string::npos);
    CHECK(std::string(failure_of_reply(503, std::string(1'000'000, '\x01')).what()).size() < 1000);
    CHECK(
        std::string(failure_of_reply(400, "Client sent an HTTP request to an HTTPS server.").what()).find("https://") !=
        std::string::npos);
}

TEST_CASE("a reply of very many values is refused before anything is made of them") {
    const auto refusal = [](const std::string& element) {
        std::string list = element;
        while (list.size() < 16'000'000) list += "," + list;
        return std::string(failure_of_reply(200, R"({"result":[)" + list + "]}").what());
    };
    for (const char* element : {"{}", "[]", "0", "{\"a\":0}"}) {
        CAPTURE(element);
        CHECK(refusal(element) == "the reply of NODE to METHOD is too large: expected at most 100 values, got more");
    }
    // As many as are allowed: the object, its list and 98 elements.
    const std::string most = R"({"result":[0)" + std::string(97, 'x') + "]}";
    std::string body;
    for (const char c : most) body += c == 'x' ? std::string(",{}") : std::string(1, c);
    CHECK(parse_rpc_reply(200, body, {"N", "M", kMostValues}).size() == 98);
}

TEST_CASE("a reply that nobody waits for any more is not read to its end") {
    std::stop_source stop;
    const RpcCall call{"N", "M", kMostValues, stop.get_token()};
    CHECK(parse_rpc_reply(200, R"({"result":[1,2,3]})", call) == json({1, 2, 3}));
    stop.request_stop();
    try {
        (void)parse_rpc_reply(200, R"({"result":[1,2,3]})", call);
        FAIL("it was read");
    } catch (const RpcError& error) {
        CHECK(error.failure == RpcFailure::kCancelled);
    }
}
