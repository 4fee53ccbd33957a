// Connections: bytes, limits and proxies, against servers of the test's own.
#include "tests/catch.hpp"
#include "tests/net/transport/certificates.hpp"
#include "tests/net/transport/line_client.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

TEST_CASE("bytes go both ways, whatever pieces they come in", "[connection]") {
    ScriptedServer server([](Peer& peer, int) {
        const auto hello = peer.read_line();
        for (const char c : hello.value_or("") + "\n\nlast\n") {
            peer.send(std::string(1, c));
            if (c != '\n') std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    LineClient client(server.place());
    REQUIRE(client.connected());
    client.send("hello");
    REQUIRE(client.lines(3) == std::vector<std::string>{"hello", "", "last"});
    REQUIRE(client.closed() == server.place() + " closed the connection");
}

TEST_CASE("a server that takes nothing any more is given up", "[connection]") {
    std::atomic<bool> done = false;
    ScriptedServer server([&](Peer&, int) { eventually([&] { return done.load(); }); });
    LineClient client(server.place());
    REQUIRE(client.connected());
    for (int i = 0; i < 200; ++i) client.send(std::string(100'000, 'x'));
    REQUIRE_THAT(client.closed(), Catch::Matchers::ContainsSubstring("no longer accepts data"));
    done = true;
}

TEST_CASE("what is queued goes out before an orderly close", "[connection]") {
    const bool tls = GENERATE(false, true);
    Authority authority;
    const Authority::Server identity = authority.server({});
    std::mutex mutex;
    std::vector<std::string> lines;
    std::atomic<bool> ended = false;
    ScriptedServer server(
        [&](Peer& peer, int) {
            while (const auto line = peer.read_line()) {
                const std::lock_guard lock(mutex);
                lines.push_back(*line);
            }
            ended = true;
        },
        tls ? identity.context.get() : nullptr);
    TlsOptions options;
    options.fingerprint = identity.fingerprint;
    LineClient client((tls ? "ssl://" : "tcp://") + server.place(), options);
    REQUIRE(client.connected());
    for (int i = 0; i < 50; ++i) client.send(std::string(1000, 'x'));
    client.close();
    REQUIRE(eventually([&] { return ended.load(); }));
    REQUIRE(lines.size() == 50);
}

TEST_CASE("why a server cannot be reached", "[connection]") {
    const std::string nobody = "127.0.0.1:" + std::to_string(closed_port());
    REQUIRE(LineClient(nobody).closed() == nobody + " cannot be reached: Connection refused");
    // RFC 6761: never a name that exists.
    REQUIRE_THAT(LineClient("pool.invalid:3333").closed(),
                 Catch::Matchers::ContainsSubstring("pool.invalid:3333 cannot be reached: "));
    REQUIRE_THAT(LineClient("pool.example:1", {}, nobody).closed(),
                 Catch::Matchers::ContainsSubstring("the proxy " + nobody + " cannot be reached: Connection refused"));
}

TEST_CASE("a name is resolved", "[connection]") {
    ScriptedServer server(echo);
    LineClient client("localhost:" + std::to_string(server.port()));
    REQUIRE(client.connected());  // maybe after ::1, where nobody listens
    client.send("x");
    REQUIRE(client.lines(1) == std::vector<std::string>{"x"});
}

TEST_CASE("through a SOCKS5 proxy, which resolves the name", "[connection]") {
    std::mutex mutex;
    std::string asked;
    ScriptedServer proxy([&](Peer& peer, int) {
        peer.read_bytes(4);
        peer.send(std::string("\x05\x02", 2));
        peer.read_bytes(1 + 1 + 2 + 1 + 6);
        peer.send(std::string("\x01\x00", 2));
        {
            const std::lock_guard lock(mutex);
            asked = peer.read_bytes(5 + 12 + 2);
        }
        peer.send(std::string("\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x01", 10) + "first\n");
        echo(peer, 1);
    });
    LineClient client("pool.example:3333", {}, "socks5://me:secret@" + proxy.place());
    REQUIRE(client.connected());
    client.send("second");
    REQUIRE(client.lines(2) == std::vector<std::string>{"first", "second"});
    REQUIRE(asked == std::string("\x05\x01\x00\x03\x0c", 5) + "pool.example" + std::string("\x0d\x05", 2));
}
