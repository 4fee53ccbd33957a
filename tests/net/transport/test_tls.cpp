// Tests of TLS: certificates, fingerprints, and bytes before the handshake, against servers of the test's own.
#include <filesystem>
#include <fstream>
#include <iostream>

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "host/errors.hpp"
#include "net/transport/tls.hpp"
#include "tests/catch.hpp"
#include "tests/environment.hpp"
#include "tests/net/pool/pool_miner.hpp"
#include "tests/net/transport/certificates.hpp"
#include "tests/net/transport/line_client.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;

namespace {

/// The verdict of a handshake in memory, of a client that means to reach `host`.
long verdict_on(const Authority::Server& identity, const std::string& host, TlsOptions options) {
    read_ca_file(options);
    const auto context = make_tls_context(options, "");
    const std::unique_ptr<SSL, decltype(&SSL_free)> client(SSL_new(context->context.get()), SSL_free);
    const std::unique_ptr<SSL, decltype(&SSL_free)> server(SSL_new(identity.context.get()), SSL_free);
    BIO* of_client = nullptr;
    BIO* of_server = nullptr;
    REQUIRE(BIO_new_bio_pair(&of_client, 0, &of_server, 0) == 1);
    SSL_set_bio(client.get(), of_client, of_client);
    SSL_set_bio(server.get(), of_server, of_server);
    SSL_set_connect_state(client.get());
    SSL_set_accept_state(server.get());
    REQUIRE(expect_server(client.get(), host, options));
    bool done = false;
    for (int i = 0; i < 20; ++i) {
        done = SSL_do_handshake(client.get()) == 1;
        (void)SSL_do_handshake(server.get());
    }
    const long verdict = SSL_get_verify_result(client.get());
    CHECK(done == (verdict == X509_V_OK));
    return verdict;
}

}  // namespace

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
    read_ca_file(tls);
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

TEST_CASE("names in certificates: only those of the extension, and what a star stands for", "[connection]") {
    const Folder folder;
    Authority authority;
    authority.save(folder.path / "ca.pem");
    TlsOptions tls;
    tls.ca_file = (folder.path / "ca.pem").string();
    struct Case {
        const char* subject;
        const char* alternative;
        const char* host;
        bool fits;
    };
    const Case cases[] = {
        {"x", "DNS:pool.example", "pool.example", true},
        {"x", "DNS:other.example,DNS:POOL.example", "Pool.Example", true},
        {"x", "DNS:*.pool.example", "eu.pool.example", true},
        {"x", "IP:192.0.2.1", "192.0.2.1", true},
        // The subject's name is no name of the server.
        {"pool.example", "none", "pool.example", false},
        {"pool.example", "IP:192.0.2.1", "pool.example", false},
        {"pool.example", "email:a@pool.example", "pool.example", false},
        {"192.0.2.1", "none", "192.0.2.1", false},
        // A star stands for the whole of the first label, and for no more.
        {"x", "DNS:*", "localhost", false},
        {"x", "DNS:*", "pool.example", false},
        {"x", "DNS:*.example", "pool.example", false},
        {"x", "DNS:*.pool.example", "pool.example", false},
        {"x", "DNS:*.pool.example", "a.b.pool.example", false},
        {"x", "DNS:e*.pool.example", "eu.pool.example", false},
        {"x", "DNS:*u.pool.example", "eu.pool.example", false},
        {"x", "DNS:eu.*.example", "eu.pool.example", false},
        {"x", "DNS:*.*.example", "eu.pool.example", false},
        // Addresses are no names.
        {"x", "DNS:192.0.2.1", "192.0.2.1", false},
        {"x", "DNS:*.0.2.1", "192.0.2.1", false},
    };
    for (const Case& c : cases) {
        INFO(c.subject << ", " << c.alternative << " for " << c.host);
        const auto identity = authority.server({.name = c.subject, .alternative = c.alternative});
        const bool address = std::string(c.host).starts_with("192");
        CHECK(verdict_on(identity, c.host, tls) == (c.fits    ? X509_V_OK
                                                    : address ? X509_V_ERR_IP_ADDRESS_MISMATCH
                                                              : X509_V_ERR_HOSTNAME_MISMATCH));
    }
}

TEST_CASE("authorities: the distribution's, or those that OpenSSL's variables name in their place", "[connection]") {
    const Folder folder;
    Authority authority;
    authority.save(folder.path / "ca.pem");
    const auto identity = authority.server({.name = "pool.example"});
    const auto number_known = [] {  // in files; those of a folder are looked up when they are needed
        const auto context = make_tls_context({}, "");
        return sk_X509_OBJECT_num(X509_STORE_get0_objects(SSL_CTX_get_cert_store(context->context.get())));
    };
    // The tester's own count no more.
    const Environment no_file("SSL_CERT_FILE", nullptr);
    const Environment no_folder("SSL_CERT_DIR", nullptr);
    SECTION("a file") {
        const Environment file("SSL_CERT_FILE", (folder.path / "ca.pem").c_str());
        CHECK(number_known() == 1);
        CHECK(verdict_on(identity, "pool.example", {}) == X509_V_OK);
    }
    SECTION("a folder, and then none of our list") {
        const Environment variable("SSL_CERT_DIR", folder.path.c_str());
        const bool has_file = std::filesystem::exists(X509_get_default_cert_file());  // OpenSSL's own, which stays
        CHECK((number_known() == 0) == !has_file);
        CHECK(verdict_on(identity, "pool.example", {}) == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
    }
    SECTION("the distribution's") {
        const bool known = std::filesystem::exists("/etc/ssl/certs/ca-certificates.crt") ||
                           std::filesystem::exists("/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem");
        if (!known) {
            std::cout << "SKIPPED: this system has no authorities (Debian: ca-certificates)" << std::endl;
            return;
        }
        CHECK(number_known() > 10);
        CHECK(verdict_on(identity, "pool.example", {}) == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
    }
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
    read_ca_file(tls);
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
        read_ca_file(tls);
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
        setting = {.name = "elsewhere.example", .days = -3, .self_signed = true};
        tls.ca_file.clear();
        tls.insecure = true;
    }
    SECTION("of the fingerprint that was given") {
        setting = {.name = "elsewhere.example", .days = -3, .self_signed = true};
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
    read_ca_file(tls);
    LineClient client("ssl://localhost:" + std::to_string(server.port()), tls);
    REQUIRE(client.connected() == fits);
    if (!fits) REQUIRE_THAT(client.closed(), Catch::Matchers::ContainsSubstring("is for other names"));
}

TEST_CASE("TLS to a port that does not speak it", "[connection]") {
    ScriptedServer server([](Peer& peer, int) {
        peer.send_line(R"({"id":null,"method":"mining.notify","params":[]})");
        peer.wait_for_close();
    });
    const std::string why = LineClient("ssl://" + server.place()).closed();
    REQUIRE_THAT(why, Catch::Matchers::ContainsSubstring("does not speak TLS"));
    REQUIRE_THAT(why,
                 Catch::Matchers::ContainsSubstring("; the URL of a port without TLS begins with stratum+tcp://, and"));
}

TEST_CASE("a port that ends the handshake is told of as one without TLS, too", "[connection]") {
    ScriptedServer server([](Peer&, int) {});
    const std::string why = LineClient("ssl://" + server.place()).closed();
    REQUIRE_THAT(why, Catch::Matchers::ContainsSubstring("begins with stratum+tcp://"));
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
    tls.ca_file = (folder.path / "no.pem").string();
    read_ca_file(tls);
    REQUIRE_THROWS_WITH(make_connection(loop, parse_pool_url("ssl://127.0.0.1:1"), {}, tls, {}),
                        Catch::Matchers::ContainsSubstring("it has no certificates"));
    tls.ca_file = (folder.path / "missing.pem").string();
    REQUIRE_THROWS_WITH(read_ca_file(tls), Catch::Matchers::ContainsSubstring("No such file"));
    tls.ca_file = (folder.path / "pipe").string();
    REQUIRE(mkfifo(tls.ca_file.c_str(), 0600) == 0);
    REQUIRE_THROWS_WITH(read_ca_file(tls), Catch::Matchers::ContainsSubstring("it is not a regular file"));
}
