// Tests of JSON-RPC: calls to a node, and their failures.
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include <sys/stat.h>

#include "host/errors.hpp"
#include "net/node/rpc.hpp"
#include "net/transport/tls.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/net/node/rpc_server.hpp"
#include "tests/net/node/waiting.hpp"
#include "tests/net/transport/certificates.hpp"
#include "tests/net/transport/scripted_server.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using nlohmann::json;

namespace {

NodeAccess access_to(const RpcServer& node, const std::string& login = "user:pass") {
    NodeAccess access;
    access.url = parse_node_url(node.url(login), 1);
    return access;
}

/// What a call fails with; fails the test where it does not.
RpcError failure_of(WaitingRpc& client, std::chrono::milliseconds time_limit = std::chrono::seconds(30)) {
    try {
        (void)client.call("getconnectioncount", json::array(), {.time = time_limit});
    } catch (const RpcError& error) {
        return error;
    }
    throw std::runtime_error("the call has not failed");
}

}  // namespace

TEST_CASE("calls reach the node and are answered") {
    RpcServer node(always(12));
    WaitingRpc client(access_to(node));
    SECTION("over one connection") {
        for (int i = 0; i < 50; ++i) CHECK(client.call("getconnectioncount") == 12);
    }
    SECTION("over one each, as btcd has it") {
        node.set_close_connections(true);
        for (int i = 0; i < 50; ++i) CHECK(client.call("getconnectioncount") == 12);
    }
    SECTION("parameters") {
        node.set_serve([](const std::string& method, const json& params, const auto& reply) {
            reply({200, json{{"result", {method, params}}, {"error", nullptr}}.dump()});
        });
        CHECK(client.call("getconnectioncount", {"text", {{"a", 1}}}) ==
              json::parse(R"(["getconnectioncount",["text",{"a":1}]])"));
    }
    SECTION("a reply of some megabytes") {
        const std::string large(5'000'000, 'x');
        node.set_serve(always(large));
        const CallLimits limits{.time = std::chrono::minutes(10), .bytes = 6'000'000};
        CHECK(client.call("getconnectioncount", json::array(), limits) == large);
        CHECK(failure_of(client, limits.time).failure == RpcFailure::kMalformed);
    }
    SECTION("a node's error, with HTTP status 500") {
        node.set_serve(always(NodeReply{500, R"({"result":null,"error":{"code":-28,"message":"Verifying blocks…"}})"}));
        CHECK(failure_of(client).failure == RpcFailure::kWarmingUp);
    }
}

TEST_CASE("a node that was started again in between is no error") {
    auto node = std::make_unique<RpcServer>(always(8));
    const std::uint16_t port = node->port();
    WaitingRpc client(access_to(*node));
    CHECK(client.call("getconnectioncount") == 8);
    node.reset();
    CHECK(failure_of(client).failure == RpcFailure::kUnreachable);
    node = std::make_unique<RpcServer>(always(8), port);
    CHECK(client.call("getconnectioncount") == 8);
}

TEST_CASE("logging in") {
    RpcServer node(always(8));
    node.set_login("alice:pass:with@all/of%it");
    const TemporaryFolder folder;
    const auto cookie = folder.path() / ".cookie";
    SECTION("user and password") {
        WaitingRpc client(access_to(node, "alice:pass:with@all/of%25it"));
        CHECK(client.call("getconnectioncount") == 8);
    }
    SECTION("a wrong password, which is not repeated") {
        WaitingRpc client(access_to(node, "alice:hunter2"));
        const RpcError error = failure_of(client);
        CHECK(error.failure == RpcFailure::kUnauthorized);
        CHECK(std::string(error.what()).find("hunter2") == std::string::npos);
        CHECK(std::string(error.what()).find("password") != std::string::npos);
    }
    SECTION("a cookie, and the next one after the node was started again") {
        NodeAccess access = access_to(node, "");
        access.cookie_file = cookie;
        WaitingRpc client(access);
        CHECK(failure_of(client).failure == RpcFailure::kUnreachable);  // no file: the node does not run
        std::ofstream(cookie) << "__cookie__:0123456789abcdef\n";
        node.set_login("__cookie__:0123456789abcdef");
        CHECK(client.call("getconnectioncount") == 8);
        node.set_login("__cookie__:fedcba");
        CHECK(failure_of(client).failure == RpcFailure::kUnauthorized);
        std::ofstream(cookie) << "__cookie__:fedcba";
        CHECK(client.call("getconnectioncount") == 8);
    }
    SECTION("a cookie that came when nobody waited for it any more") {
        std::ofstream(cookie) << "__cookie__:0123456789abcdef\n";
        node.set_login("__cookie__:0123456789abcdef");
        NodeAccess access = access_to(node, "");
        access.cookie_file = cookie;
        for (int i = 0; i < 20; ++i) {  // it comes before the cancellation, or after
            WaitingRpc client(access);
            client.start("getconnectioncount", [](const Answer<json>&) {});
            client.cancel();
            std::this_thread::sleep_for(std::chrono::milliseconds(i % 5));
            CHECK(client.call("getconnectioncount") == 8);
        }
    }
    SECTION("a pipe that nobody writes to") {
        REQUIRE(mkfifo(cookie.c_str(), 0600) == 0);
        NodeAccess access = access_to(node, "");
        access.cookie_file = cookie;
        WaitingRpc client(access);
        CHECK(std::string(failure_of(client).what()).find("it is not a regular file") != std::string::npos);
    }
    SECTION("a file that is no cookie") {
        std::ofstream(cookie) << std::string(100'000, 'x');
        NodeAccess access = access_to(node, "");
        access.cookie_file = cookie;
        WaitingRpc client(access);
        CHECK(std::string(failure_of(client).what()).find("it has more than 512 bytes") != std::string::npos);
    }
}

TEST_CASE("nodes that fail") {
    RpcServer node(always(8));
    WaitingRpc client(access_to(node));
    SECTION("garbage") {
        node.set_serve(always(NodeReply{200, "<html>hello</html>"}));
        CHECK(failure_of(client).failure == RpcFailure::kMalformed);
    }
    SECTION("an endless reply") {
        node.set_serve(always(NodeReply{200, std::string((1U << 20U) + 1, ' ')}));
        const RpcError error = failure_of(client);
        CHECK(error.failure == RpcFailure::kMalformed);
        CHECK(std::string(error.what()).find("1 MiB") != std::string::npos);
    }
    SECTION("no reply in time") {
        node.set_serve([](const std::string&, const json&, const auto&) {});
        CHECK(failure_of(client, std::chrono::milliseconds(200)).failure == RpcFailure::kTimeout);
    }
    SECTION("nobody there") {
        NodeAccess access = access_to(node);
        access.url.port = 1;
        WaitingRpc other(access);
        const RpcError error = failure_of(other);
        CHECK(error.failure == RpcFailure::kUnreachable);
        CHECK(std::string(error.what()) ==
              "http://127.0.0.1:1 cannot be reached; is the node running, and is this its RPC port?");
    }
    SECTION("a name that nobody has") {
        NodeAccess access = access_to(node);
        access.url.host = "node.invalid";
        access.url.port = 1;
        WaitingRpc other(access);
        const RpcError error = failure_of(other);
        CHECK(error.failure == RpcFailure::kUnreachable);
        CHECK(std::string(error.what()) ==
              "http://node.invalid:1 cannot be reached: the name 'node.invalid' is not known");
    }
}

TEST_CASE("a call under way can be cancelled, wherever it is") {
    ScriptedServer server([](Peer& peer, int) { peer.wait_for_close(); });  // takes all, answers nothing
    NodeAccess access;
    access.url = parse_node_url("http://u:p@" + server.place(), 1);
    std::function<bool()> under_way;
    SECTION("waiting for the reply") {
        under_way = [&] { return server.connections() > 0; };
    }
    SECTION("in the TLS handshake") {
        access.url.tls = true;
        under_way = [&] { return server.connections() > 0; };
    }
    SECTION("connecting, or looking up a name, or before either") {
        // 192.0.2.1 (RFC 5737) is nobody's address: packets to it are lost, or the system says that there is no route.
        access.url.host = GENERATE("192.0.2.1", "node.invalid", "127.0.0.1");
        under_way = [] { return true; };
    }
    std::atomic<bool> answered = false;
    {
        WaitingRpc client(access);
        client.start("getconnectioncount", [&](const Answer<json>&) { answered = true; });
        eventually(under_way);
        client.cancel();
    }
    // Where there is no route and no name server, the call may have failed before it was cancelled.
    CHECK((!answered || access.url.host != "127.0.0.1"));
}

TEST_CASE("certificates of nodes are verified") {
    const TemporaryFolder folder;
    const std::string certificate = folder.path() / "rpc.cert", wrong_certificate = folder.path() / "wrong.cert";
    const Authority authority;
    const auto identity = authority.server({.self_signed = true});
    identity.save(certificate);
    const auto wrong_identity = authority.server({.name = "elsewhere.example", .self_signed = true});
    wrong_identity.save(wrong_certificate);
    RpcServer node(always(8), 0, identity.context.get());

    NodeAccess access = access_to(node);
    CHECK(access.url.tls);
    SECTION("not known") {
        WaitingRpc client(access);
        const RpcError error = failure_of(client);
        CHECK(error.failure == RpcFailure::kUnverified);
        CHECK(std::string(error.what()).find("--cert") != std::string::npos);
        CHECK(node.calls() == 0);
    }
    SECTION("named by the user") {
        access.tls.ca_file = certificate;
        read_ca_file(access.tls);
        WaitingRpc client(access);
        CHECK(client.call("getconnectioncount") == 8);
        CHECK(client.call("getconnectioncount") == 8);
    }
    SECTION("another than the user named") {
        access.tls.ca_file = wrong_certificate;
        read_ca_file(access.tls);
        WaitingRpc client(access);
        CHECK(failure_of(client).failure == RpcFailure::kUnverified);
    }
    SECTION("not asked for") {
        access.tls.insecure = true;
        WaitingRpc client(access);
        CHECK(client.call("getconnectioncount") == 8);
    }
    SECTION("of another host") {
        RpcServer wrong(always(8), 0, wrong_identity.context.get());
        access = access_to(wrong);
        access.tls.ca_file = wrong_certificate;
        read_ca_file(access.tls);
        WaitingRpc client(access);
        const RpcError error = failure_of(client);
        CHECK(error.failure == RpcFailure::kUnverified);
        CHECK(std::string(error.what()).find("is for other names ('elsewhere.example')") != std::string::npos);
    }
    SECTION("a file that is none") {
        access.tls.ca_file = folder.path() / "rpc.key";
        std::ofstream(access.tls.ca_file) << "-----BEGIN PRIVATE KEY-----\n";
        read_ca_file(access.tls);
        CHECK_THROWS_AS(WaitingRpc(access), InputError);
        access.tls.ca_file = folder.path() / "missing";
        CHECK_THROWS_AS(read_ca_file(access.tls), InputError);
    }
    SECTION("TLS where there is none, and the other way round") {
        RpcServer plain(always(8));
        NodeAccess tls = access_to(plain);
        tls.url.tls = true;
        WaitingRpc client(tls);
        const RpcError error = failure_of(client);
        CHECK(error.failure == RpcFailure::kUnreachable);
        CHECK(std::string(error.what()).find("does not speak TLS on this port") != std::string::npos);
        CHECK(std::string(error.what()).find("http://") == std::string::npos);  // as whoever is on the way would like
        access.url.tls = false;
        WaitingRpc other(access);
        CHECK(failure_of(other).failure == RpcFailure::kUnreachable);
    }
}
