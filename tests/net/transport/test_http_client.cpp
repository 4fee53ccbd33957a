// HTTP client: replies in every form and piece, connections kept and lost, limits, cancelling, against scripted
// servers.
#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>

#include "net/transport/http_client.hpp"
#include "tests/catch.hpp"
#include "tests/net/transport/certificates.hpp"
#include "tests/net/transport/scripted_server.hpp"

using namespace gpuminer::net;
using namespace gpuminer::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr std::size_t kLongestBody = std::size_t{1} << 20;

struct Client {
    explicit Client(const ScriptedServer& server, std::shared_ptr<const TlsContext> tls = nullptr)
        : Client("127.0.0.1", server.port(), std::move(tls)) {}
    Client(const std::string& host, std::uint16_t port, std::shared_ptr<const TlsContext> tls = nullptr,
           seconds step_limit = seconds(10)) {
        HttpOptions options;
        options.channel.step_limit = step_limit;
        options.channel.host = host;
        options.channel.port = port;
        options.channel.tls = std::move(tls);
        http.emplace(loop, options);
    }
    /// Waits for the result.
    HttpResult post(const std::string& body = "ping", milliseconds time_limit = seconds(60)) {
        std::optional<HttpResult> result;
        bool done = false;
        HttpRequest request;
        request.target = "/path";
        request.authorization = "Basic eDp5";
        request.content_type = "text/plain";
        request.body = body;
        request.longest_reply = kLongestBody;
        http->send(request, time_limit, [&](const HttpResult& r) {
            result = r;
            done = true;
        });
        while (!done) loop.context().run_one();
        return *result;
    }
    EventLoop loop;
    std::optional<HttpClient> http;
};

/// The body of a request; empty where none comes.
std::optional<std::string> read_request(Peer& peer) {
    std::size_t length = 0;
    for (auto line = peer.read_line(); line != "\r"; line = peer.read_line()) {
        if (!line) return std::nullopt;
        if (line->starts_with("Content-Length: ")) length = std::stoul(line->substr(16));
    }
    return peer.read_bytes(length);
}

/// Every connection: a request, these bytes, the end; `piece`: so many of them at a time.
ScriptedServer::Script answer_with(const std::string& reply, std::size_t piece = std::string::npos) {
    return [reply, piece](Peer& peer, int) {
        if (!read_request(peer)) return;
        for (std::size_t i = 0; i < reply.size(); i += std::min(piece, reply.size())) peer.send(reply.substr(i, piece));
    };
}

std::string reply_with(const std::string& body, const std::string& headers = "") {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body;
}

}  // namespace

TEST_CASE("an HTTP request as it is sent", "[http]") {
    std::string head;
    ScriptedServer server([&](Peer& peer, int) {
        for (auto line = peer.read_line(); line && line != "\r"; line = peer.read_line()) head += *line + "\n";
        peer.read_bytes(4);
        peer.send(reply_with("pong"));
    });
    Client client(server);
    const HttpResult result = client.post();
    REQUIRE(result.status == 200);
    REQUIRE(result.body == "pong");
    REQUIRE(head == "POST /path HTTP/1.1\r\nHost: " + server.place() +
                        "\r\nUser-Agent: gpuminer\r\nAuthorization: Basic eDp5\r\nContent-Type: "
                        "text/plain\r\nContent-Length: 4\r\n");
}

TEST_CASE("HTTP replies, whatever their form and the pieces they come in", "[http]") {
    struct Case {
        std::string reply;
        int status;
        std::string body;
    };
    const Case cases[] = {
        {reply_with("hello"), 200, "hello"},
        {"HTTP/1.1 401 \r\nContent-Length: 0\r\n\r\n", 401, ""},
        {"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\n{}", 500, "{}"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n", 200,
         "abcde"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, ""},  // Beast 1.74 asserts otherwise
        {"HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, "until the end"},
        {"HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + reply_with("then"), 200, "then"},
    };
    const std::size_t piece = GENERATE(std::string::npos, 1, 7);
    for (const Case& c : cases) {
        INFO(c.reply);
        ScriptedServer server(answer_with(c.reply, piece));
        Client client(server);
        const HttpResult result = client.post();
        REQUIRE(result.status == c.status);
        REQUIRE(result.body == c.body);
    }
}

TEST_CASE("HTTP replies that are none, or too long", "[http]") {
    const std::pair<std::string, HttpFailure> cases[] = {
        {"", HttpFailure::kBroken},
        {"HTTP/1.1 200 OK\r\n", HttpFailure::kBroken},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", HttpFailure::kBroken},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", HttpFailure::kBroken},
        {"SSH-2.0-OpenSSH_9.2\r\n\r\n", HttpFailure::kMalformed},
        {"\x15\x03\x01\x02\x02\x16", HttpFailure::kBroken},  // of a TLS server
        {std::string(100, '\x15'), HttpFailure::kMalformed},
        {"HTTP/1.1 2x0 OK\r\n\r\n", HttpFailure::kMalformed},
        {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", HttpFailure::kMalformed},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", HttpFailure::kMalformed},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", HttpFailure::kMalformed},
        {"HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n", HttpFailure::kMalformed},
        {"HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n", HttpFailure::kTooLong},
        {"HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\nabc", HttpFailure::kTooLong},
        {"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\nabc", HttpFailure::kTooLong},
        {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n", HttpFailure::kMalformed},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n" + std::string(kLongestBody + 1, 'x'),
         HttpFailure::kTooLong},
        {"HTTP/1.1 200 OK\r\n\r\n" + std::string(kLongestBody + 1, 'x'), HttpFailure::kTooLong},
    };
    for (const auto& [reply, failure] : cases) {
        INFO(reply.substr(0, 100));
        ScriptedServer server(answer_with(reply));
        Client client(server);
        const HttpResult result = client.post();
        REQUIRE(result.status == 0);
        REQUIRE(static_cast<int>(result.failure) == static_cast<int>(failure));
        REQUIRE(result.sentence.find(server.place()) != std::string::npos);
    }
    ScriptedServer server(answer_with(reply_with(std::string(kLongestBody, 'x'))));
    REQUIRE(Client(server).post().body.size() == kLongestBody);
}

TEST_CASE("an HTTP connection is used again, unless the server will not have it", "[http]") {
    const bool close = GENERATE(false, true);
    ScriptedServer server([&](Peer& peer, int) {
        while (const auto body = read_request(peer)) {
            peer.send(reply_with(*body, close ? "Connection: close\r\n" : ""));
        }
    });
    Client client(server);
    for (int i = 0; i < 5; ++i) REQUIRE(client.post(std::to_string(i)).body == std::to_string(i));
    REQUIRE(server.connections() == (close ? 5 : 1));
}

TEST_CASE("an HTTP connection on which something came in between is not used again", "[http]") {
    // A server that ends idle connections, and one that says so first: that is not the reply to the next request.
    const std::string farewell = GENERATE("", "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
    std::atomic<int> ended = 0;
    ScriptedServer server([&](Peer& peer, int number) {
        read_request(peer);
        peer.send(reply_with(std::to_string(number)));
        if (!farewell.empty()) peer.send(farewell);
        ended = number;
        if (!farewell.empty()) peer.wait_for_close();
    });
    Client client(server);
    for (int i = 1; i <= 3; ++i) {
        REQUIRE(client.post().body == std::to_string(i));
        REQUIRE(eventually([&] { return ended >= i; }));
    }
}

TEST_CASE("a request is sent once more where a connection that was used before ends without a reply", "[http]") {
    std::atomic<int> requests = 0;
    ScriptedServer server([&](Peer& peer, int) {
        for (int i = 0; i < 2 && read_request(peer); ++i) {
            ++requests;
            if (i == 0) peer.send(reply_with("first"));
        }
    });
    Client client(server);
    REQUIRE(client.post().body == "first");
    REQUIRE(client.post().body == "first");
    REQUIRE(requests == 3);

    ScriptedServer silent([&](Peer& peer, int) { read_request(peer); });
    const HttpResult result = Client(silent).post();
    REQUIRE(result.failure == HttpFailure::kBroken);
    REQUIRE(silent.connections() == 1);
}

TEST_CASE("a reply that comes before all of the request was taken", "[http]") {
    ScriptedServer server([&](Peer& peer, int) {
        while (const auto line = peer.read_line()) {
            if (line == "\r") break;
        }
        peer.send(reply_with("enough", "Connection: close\r\n"));
        peer.wait_for_close();
    });
    REQUIRE(Client(server).post(std::string(30'000'000, 'x')).body == "enough");
}

TEST_CASE("the time limit of an HTTP request holds at every step", "[http]") {
    const std::string part = GENERATE("", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    ScriptedServer server([&](Peer& peer, int) {
        peer.send(part);
        peer.wait_for_close();
    });
    REQUIRE(Client(server).post("x", milliseconds(200)).failure == HttpFailure::kTimeout);
}

TEST_CASE("a server that drips bytes does not extend the time limit", "[http]") {
    std::atomic<bool> over = false;
    ScriptedServer server([&](Peer& peer, int) {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        while (!over && peer.send("x")) std::this_thread::sleep_for(milliseconds(5));
    });
    REQUIRE(Client(server).post("x", milliseconds(300)).failure == HttpFailure::kTimeout);
    over = true;
}

TEST_CASE("a TLS handshake that does not end, and one within the time limit of the request", "[http]") {
    ScriptedServer server([](Peer& peer, int) { peer.wait_for_close(); });
    TlsOptions options;
    options.insecure = true;
    Client client(server, make_tls_context(options, {}));
    REQUIRE(client.post("x", milliseconds(200)).failure == HttpFailure::kConnect);

    Authority authority;
    const Authority::Server identity = authority.server({});
    ScriptedServer good(answer_with(reply_with("over TLS")), identity.context.get());
    options = {};
    options.fingerprint = identity.fingerprint;
    REQUIRE(Client(good, make_tls_context(options, {})).post().body == "over TLS");
    options.fingerprint = std::string(64, '0');
    REQUIRE(Client(good, make_tls_context(options, {})).post().failure == HttpFailure::kCertificate);
}

TEST_CASE("a server that is silent when TLS begins may not speak it", "[http]") {
    ScriptedServer server([](Peer& peer, int) { peer.wait_for_close(); });
    TlsOptions options;
    options.insecure = true;
    Client client("127.0.0.1", server.port(), make_tls_context(options, {}), seconds(1));
    const HttpResult result = client.post();
    REQUIRE(result.failure == HttpFailure::kHandshake);
    REQUIRE(result.sentence == "127.0.0.1:" + std::to_string(server.port()) +
                                   " does not finish the TLS handshake within 1 seconds; this port may not speak TLS");
}

TEST_CASE("an HTTP request can be cancelled at every step, and another made then", "[http]") {
    Authority authority;
    const Authority::Server identity = authority.server({});
    std::atomic<int> requests = 0;
    ScriptedServer server(
        [&](Peer& peer, int) {
            while (const auto body = read_request(peer)) {
                ++requests;
                if (body == "again") peer.send(reply_with(*body));
            }
        },
        identity.context.get());
    TlsOptions options;
    options.fingerprint = identity.fingerprint;
    Client client(server, make_tls_context(options, {}));
    const auto cancel_once = [&](const std::function<bool(int turns)>& it_is_time) {
        bool over = false;
        bool cancelled = false;
        client.http->send({}, seconds(60), [&](const HttpResult&) { over = true; });
        const std::function<void(int)> turn = [&](int turns) {
            if (!it_is_time(turns)) return client.loop.post([&turn, turns] { turn(turns + 1); });
            client.http->cancel();
            cancelled = true;
        };
        turn(0);
        while (!cancelled) client.loop.context().run_one();
        REQUIRE_FALSE(over);
    };
    for (const int most : {0, 1, 2, 3, 5, 10}) cancel_once([&](int turns) { return turns == most; });
    const int before = server.connections();
    cancel_once([&](int) { return server.connections() > before; });  // during the handshake
    cancel_once([&](int) { return requests > 0; });
    REQUIRE(client.post("again").body == "again");
}
