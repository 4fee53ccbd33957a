// Connections: lines, limits, proxies, TLS and its certificates, against servers of the test's own.
#include <condition_variable>
#include <fstream>

#include <openssl/ssl.h>

#include "host/errors.hpp"
#include "net/connection.hpp"
#include "tests/catch.hpp"
#include "tests/net/certificates.hpp"
#include "tests/net/contains.hpp"
#include "tests/net/pool_miner.hpp"
#include "tests/net/scripted_server.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::net::test;

namespace {

// A connection on a loop of its own; what happened to it, for the test's thread.
class Client {
    template <typename F>
    void set(F f) {
        const std::lock_guard lock(mutex_);
        f();
    }
    template <typename F>
    auto get(F f) {
        const std::lock_guard lock(mutex_);
        return f();
    }

public:
    explicit Client(const std::string& url, const TlsOptions& tls = {}, const std::string& proxy = "") {
        ConnectionEvents events;
        events.connected = [this] { set([this] { connected_ = true; }); };
        events.line = [this](std::string_view line) { set([&] { lines_.emplace_back(line); }); };
        events.closed = [this](const std::string& sentence) { set([&] { closed_ = sentence; }); };
        std::optional<ProxyUrl> proxy_url;
        if (!proxy.empty()) proxy_url = parse_proxy_url(proxy);
        connection_ = make_connection(loop_, parse_pool_url(url), proxy_url, tls, std::move(events));
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Client() {
        loop_.stop();
        thread_.join();
    }
    void send(const std::string& line) {
        loop_.post([this, line] { connection_->send(line); });
    }
    void close() {
        loop_.post([this] { connection_->close(); });
    }
    bool connected() {
        return eventually([this] { return get([this] { return connected_ || closed_.has_value(); }); }) &&
               get([this] { return connected_; });
    }
    std::string closed() {
        eventually([this] { return get([this] { return closed_.has_value(); }); });
        return get([this] { return closed_.value_or("(it is not)"); });
    }
    std::vector<std::string> lines(std::size_t count) {
        eventually([&] { return get([&] { return lines_.size() >= count || closed_.has_value(); }); });
        return get([this] { return lines_; });
    }

private:
    std::mutex mutex_;
    bool connected_ = false;
    std::vector<std::string> lines_;
    std::optional<std::string> closed_;
    EventLoop loop_;
    std::unique_ptr<Connection> connection_;
    std::thread thread_;
};

void echo(Peer& peer, int) {
    while (const auto line = peer.read_line()) peer.send_line(*line);
}

std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t total = 0, resident = 0;
    file >> total >> resident;
    return resident * 4096;
}

}  // namespace

TEST_CASE("lines go both ways, whatever pieces they come in", "[connection]") {
    ScriptedServer server([](Peer& peer, int) {
        const auto hello = peer.read_line();
        for (const char c : hello.value_or("") + "\r\n\nlast\n") {
            peer.send(std::string(1, c));
            if (c != '\n') std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    Client client(server.place());
    REQUIRE(client.connected());
    client.send("hello");
    REQUIRE(client.lines(3) == std::vector<std::string>{"hello", "", "last"});
    REQUIRE(client.closed() == server.place() + " closed the connection");
}

TEST_CASE("a line without end is not kept", "[connection]") {
    std::atomic<std::size_t> sent = 0;
    ScriptedServer server([&](Peer& peer, int) {
        const std::string piece(1024 * 1024, 'x');
        for (int i = 0; i < 100 && peer.send(piece); ++i) {
        }
        sent = peer.sent();
    });
    const std::size_t before = resident_bytes();
    Client client(server.place());
    REQUIRE_THAT(client.closed(), contains("more than 1 MiB"));
    const std::size_t after = resident_bytes();
    // Sanitizers keep what is freed for a while.
    REQUIRE(after < before + 60 * 1024 * 1024);
    REQUIRE(eventually([&] { return sent > 0; }));
    REQUIRE(sent < 60 * 1024 * 1024);
}

TEST_CASE("a line of exactly 1 MiB is good, one more byte is not", "[connection]") {
    const std::size_t size = kLongestLine + GENERATE(0, 1);
    ScriptedServer server([&](Peer& peer, int) {
        peer.send_line(std::string(size, 'x'));
        peer.wait_for_close();
    });
    Client client(server.place());
    if (size == kLongestLine) {
        REQUIRE(client.lines(1).at(0).size() == size);
    } else {
        REQUIRE_THAT(client.closed(), contains("more than 1 MiB"));
    }
}

TEST_CASE("a server that takes nothing any more is given up", "[connection]") {
    std::atomic<bool> done = false;
    ScriptedServer server([&](Peer&, int) { eventually([&] { return done.load(); }); });
    Client client(server.place());
    REQUIRE(client.connected());
    for (int i = 0; i < 200; ++i) client.send(std::string(100'000, 'x'));
    REQUIRE_THAT(client.closed(), contains("no longer takes what is sent to it"));
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
    Client client((tls ? "ssl://" : "tcp://") + server.place(), options);
    REQUIRE(client.connected());
    for (int i = 0; i < 50; ++i) client.send(std::string(1000, 'x'));
    client.close();
    REQUIRE(eventually([&] { return ended.load(); }));
    REQUIRE(lines.size() == 50);
}

TEST_CASE("why a server cannot be reached", "[connection]") {
    const std::string nobody = "127.0.0.1:" + std::to_string(closed_port());
    REQUIRE(Client(nobody).closed() == nobody + " cannot be reached: Connection refused");
    // RFC 6761: never a name that exists.
    REQUIRE_THAT(Client("pool.invalid:3333").closed(), contains("pool.invalid:3333 cannot be reached: "));
    REQUIRE_THAT(Client("pool.example:1", {}, nobody).closed(),
                 contains("the proxy " + nobody + " cannot be reached: Connection refused"));
}

TEST_CASE("a name is resolved", "[connection]") {
    ScriptedServer server(echo);
    Client client("localhost:" + std::to_string(server.port()));
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
    Client client("pool.example:3333", {}, "socks5://me:secret@" + proxy.place());
    REQUIRE(client.connected());
    client.send("second");
    REQUIRE(client.lines(2) == std::vector<std::string>{"first", "second"});
    REQUIRE(asked == std::string("\x05\x01\x00\x03\x0c", 5) + "pool.example" + std::string("\x0d\x05", 2));
}

TEST_CASE("through an HTTP proxy, with TLS to the pool inside", "[connection]") {
    const Folder folder;
    Authority authority;
    authority.save(folder.path / "ca.pem");
    const Authority::Server identity = authority.server({"pool.example"});
    ScriptedServer pool(echo, identity.context.get());
    ScriptedServer proxy([&](Peer& peer, int) {
        while (const auto line = peer.read_line()) {
            if (line == "\r") break;
        }
        peer.send("HTTP/1.1 200 Connection established\r\n\r\n");
        // From here on the proxy carries bytes; as this one cannot, it is the server itself.
        SSL* ssl = SSL_new(identity.context.get());
        SSL_set_fd(ssl, peer.socket());
        if (SSL_accept(ssl) == 1) {
            char buffer[100];
            const int size = SSL_read(ssl, buffer, sizeof(buffer));
            if (size > 0) SSL_write(ssl, buffer, size);
            peer.wait_for_close();
        }
        SSL_free(ssl);
    });
    TlsOptions tls;
    tls.ca_file = (folder.path / "ca.pem").string();
    Client client("ssl://pool.example:3333", tls, "http://" + proxy.place());
    REQUIRE(client.connected());
    client.send("hello");
    REQUIRE(client.lines(1) == std::vector<std::string>{"hello"});
}

TEST_CASE("certificates: which are trusted, and why others are not", "[connection]") {
    const Folder folder;
    Authority authority;
    Authority stranger;
    authority.save(folder.path / "ca.pem");
    stranger.save(folder.path / "other.pem");
    CertificateSetting setting;
    TlsOptions tls;
    tls.ca_file = (folder.path / "ca.pem").string();
    std::string complaint;  // empty: it is trusted

    SECTION("signed by the authority of --cert") {}
    SECTION("for another name") {
        setting.name = "elsewhere.example";
        complaint = "is for other names ('elsewhere.example')";
    }
    SECTION("for another address") {
        setting.name = "127.0.0.2";
        complaint = "is for other names";
    }
    SECTION("expired") {
        setting.days = -3;
        complaint = "has expired on 20";
    }
    SECTION("by an authority that is not known") {
        tls.ca_file = (folder.path / "other.pem").string();
        complaint = "is not signed by an authority that this system trusts (--cert FILE or --tls-fingerprint HEX";
    }
    SECTION("by an authority that the system does not know") {
        tls.ca_file.clear();
        complaint = "is not signed by an authority that this system trusts";
    }
    SECTION("self-signed") {
        setting.self_signed = true;
        complaint = "is not signed by an authority that this system trusts";
    }
    SECTION("anything goes with --insecure") {
        setting = {"elsewhere.example", -3, true};
        tls.ca_file.clear();
        tls.insecure = true;
    }
    SECTION("of the fingerprint that was given") {
        setting = {"elsewhere.example", -3, true};
        tls.fingerprint = "right";
    }
    SECTION("of another fingerprint") {
        tls.fingerprint = std::string(64, '0');
        complaint = "not the one of --tls-fingerprint";
    }
    const Authority::Server identity = authority.server(setting);
    if (tls.fingerprint == "right") tls.fingerprint = identity.fingerprint;
    std::atomic<int> heard = 0;
    ScriptedServer server(
        [&](Peer& peer, int) {
            while (const auto line = peer.read_line()) {
                ++heard;
                peer.send_line(*line);
            }
        },
        identity.context.get());
    Client client("stratum+ssl://" + server.place(), tls);
    if (complaint.empty()) {
        REQUIRE(client.connected());
        client.send("hello");
        REQUIRE(client.lines(1) == std::vector<std::string>{"hello"});
    } else {
        REQUIRE_THAT(client.closed(), contains(complaint));
        REQUIRE(heard == 0);
        if (complaint.find("fingerprint HEX") == std::string::npos && !tls.fingerprint.empty()) {
            REQUIRE_THAT(client.closed(), contains(identity.fingerprint));
        }
    }
}

TEST_CASE("the name, not the address, is verified where the URL has a name", "[connection]") {
    const Folder folder;
    Authority authority;
    authority.save(folder.path / "ca.pem");
    const bool fits = GENERATE(true, false);
    const Authority::Server identity = authority.server({fits ? "localhost" : "127.0.0.1"});
    ScriptedServer server(echo, identity.context.get());
    TlsOptions tls;
    tls.ca_file = (folder.path / "ca.pem").string();
    Client client("ssl://localhost:" + std::to_string(server.port()), tls);
    REQUIRE(client.connected() == fits);
    if (!fits) REQUIRE_THAT(client.closed(), contains("is for other names"));
}

TEST_CASE("TLS to a port that does not speak it", "[connection]") {
    ScriptedServer server([](Peer& peer, int) {
        peer.send_line(R"({"id":null,"method":"mining.notify","params":[]})");
        peer.wait_for_close();
    });
    REQUIRE_THAT(Client("ssl://" + server.place()).closed(), contains("does not speak TLS"));
}

TEST_CASE("a server of TLS 1.1 at most is refused", "[connection]") {
    Authority authority;
    const Authority::Server identity = authority.server({});
    SSL_CTX_set_min_proto_version(identity.context.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(identity.context.get(), TLS1_1_VERSION);
    SSL_CTX_set_cipher_list(identity.context.get(), "ALL:@SECLEVEL=0");
    ScriptedServer server(echo, identity.context.get());
    TlsOptions tls;
    tls.insecure = true;
    REQUIRE_THAT(Client("ssl://" + server.place(), tls).closed(), contains("the TLS handshake with"));
}

TEST_CASE("a certificate file that is none", "[connection]") {
    const Folder folder;
    std::ofstream(folder.path / "no.pem") << "nothing\n";
    EventLoop loop;
    TlsOptions tls;
    for (const char* name : {"no.pem", "missing.pem"}) {
        tls.ca_file = (folder.path / name).string();
        REQUIRE_THROWS_AS(make_connection(loop, parse_pool_url("ssl://127.0.0.1:1"), {}, tls, {}), InputError);
    }
}
