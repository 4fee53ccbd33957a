// TLS: certificates, fingerprints, and what comes before the handshake, against servers of the test's own.
#include <fstream>

#include <openssl/ssl.h>

#include "host/errors.hpp"
#include "net/transport/tls.hpp"
#include "tests/catch.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "tests/net/transport/certificates.hpp"
#include "tests/net/transport/line_client.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

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
    LineClient client("ssl://pool.example:3333", tls, "http://" + proxy.place());
    REQUIRE(client.connected());
    client.send("hello");
    REQUIRE(client.lines(1) == std::vector<std::string>{"hello"});
}

TEST_CASE("what comes before TLS has begun is not taken as the pool's words", "[connection]") {
    Authority authority;
    const Authority::Server identity = authority.server({});
    const bool socks = GENERATE(true, false);
    const bool at_once = GENERATE(true, false);  // in one piece with the proxy's reply
    ScriptedServer proxy([&](Peer& peer, int) {
        std::string reply = "HTTP/1.1 200 OK\r\n\r\n";
        if (socks) {
            peer.read_bytes(3);
            peer.send(std::string("\x05\x00", 2));
            peer.read_bytes(4 + 1 + 12 + 2);
            reply = std::string("\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x01", 10);
        } else {
            while (const auto line = peer.read_line()) {
                if (line == "\r") break;
            }
        }
        peer.send(at_once ? reply + "injected\n" : reply);
        if (!at_once) peer.send("injected\n");
        SSL* ssl = SSL_new(identity.context.get());
        SSL_set_fd(ssl, peer.socket());
        if (SSL_accept(ssl) == 1) SSL_write(ssl, "pool\n", 5);
        SSL_free(ssl);
    });
    TlsOptions tls;
    tls.fingerprint = identity.fingerprint;
    LineClient client("ssl://pool.example:3333", tls, (socks ? "socks5://" : "http://") + proxy.place());
    const std::string why = client.closed();
    REQUIRE(client.lines(0).empty());
    if (at_once) REQUIRE_THAT(why, Catch::Matchers::ContainsSubstring("sent something before TLS had begun"));
}

TEST_CASE("a name that cannot be compared with a certificate's is refused", "[connection]") {
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), SSL_free);
    REQUIRE(expect_server(ssl.get(), "pool.example", {}));
    REQUIRE_FALSE(expect_server(ssl.get(), std::string("pool.example\0.evil", 18), {}));
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
    SECTION("of the fingerprint that was given, with --insecure") {
        tls.fingerprint = "right";
        tls.insecure = true;
    }
    SECTION("of another fingerprint") {
        tls.fingerprint = std::string(64, '0');
        tls.insecure = GENERATE(false, true);  // does not make it right
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
    LineClient client("stratum+ssl://" + server.place(), tls);
    if (complaint.empty()) {
        REQUIRE(client.connected());
        client.send("hello");
        REQUIRE(client.lines(1) == std::vector<std::string>{"hello"});
    } else {
        REQUIRE_THAT(client.closed(), Catch::Matchers::ContainsSubstring(complaint));
        REQUIRE(heard == 0);
        if (complaint.find("fingerprint HEX") == std::string::npos && !tls.fingerprint.empty()) {
            REQUIRE_THAT(client.closed(), Catch::Matchers::ContainsSubstring(identity.fingerprint));
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
    LineClient client("ssl://localhost:" + std::to_string(server.port()), tls);
    REQUIRE(client.connected() == fits);
    if (!fits) REQUIRE_THAT(client.closed(), Catch::Matchers::ContainsSubstring("is for other names"));
}

TEST_CASE("TLS to a port that does not speak it", "[connection]") {
    ScriptedServer server([](Peer& peer, int) {
        peer.send_line(R"({"id":null,"method":"mining.notify","params":[]})");
        peer.wait_for_close();
    });
    REQUIRE_THAT(LineClient("ssl://" + server.place()).closed(),
                 Catch::Matchers::ContainsSubstring("does not speak TLS"));
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
    REQUIRE_THAT(LineClient("ssl://" + server.place(), tls).closed(),
                 Catch::Matchers::ContainsSubstring("the TLS handshake with"));
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
