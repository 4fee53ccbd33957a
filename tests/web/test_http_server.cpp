// Tests of the HTTP server against clients that are slow, many, malformed or gone.
#include "net/transport/http_server.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/messages.hpp"
#include "tests/web/served.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace gpuminer::test;
using namespace std::chrono_literals;

TEST_CASE("requests on one connection, also several at once") {
    Server server;
    Client client(server.port());
    client.get("/a");
    CHECK(contains(client.read_to("/a 127.0.0.1"),
                   "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 16\r\n"));
    client.send(
        "GET /b HTTP/1.1\r\nHost: x\r\n\r\nPOST /c HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nxyz"
        "HEAD /d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /e HTTP/1.1\r\nHost: x\r\n\r\n");
    CHECK(contains(client.read_to("GET /b 127.0.0.1"), "200 OK"));
    CHECK(contains(client.read_to("POST /c 127.0.0.1xyz"), "200 OK"));
    const std::string last = client.read_all();
    CHECK(contains(last, "Content-Length: 16"));
    CHECK(contains(last, "Connection: close"));
    CHECK(last.ends_with("\r\n\r\n"));
    CHECK(server.requests == 4);
}

TEST_CASE("a link-local address that a client has reached has no zone, as in its Host") {
    ifaddrs* all = nullptr;
    REQUIRE(::getifaddrs(&all) == 0);
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
    const auto is_link_local = [](const ifaddrs& any) {
        return any.ifa_addr != nullptr && any.ifa_addr->sa_family == AF_INET6 &&
               IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(any.ifa_addr)->sin6_addr);
    };
    while (all != nullptr && !is_link_local(*all)) all = all->ifa_next;
    if (all == nullptr) {
        std::cout << "SKIPPED: no interface here has a link-local address" << std::endl;
        return;
    }
    sockaddr_in6 address = *reinterpret_cast<const sockaddr_in6*>(all->ifa_addr);
    char bare[INET6_ADDRSTRLEN];
    REQUIRE(::inet_ntop(AF_INET6, &address.sin6_addr, bare, sizeof bare) != nullptr);
    Server server(std::string("[") + bare + "%" + all->ifa_name + "]:0");
    address.sin6_port = htons(server.port());
    Client client(address);
    client.send("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    CHECK(client.read_all().ends_with(std::string("GET /a ") + bare));
}

TEST_CASE("what is no request is answered, and ends the connection") {
    Server server;
    Client nonsense(server.port());
    nonsense.send("\x16\x03\x01 nonsense\r\n\r\n");
    CHECK(contains(nonsense.read_all(), "HTTP/1.1 400 Bad Request\r\n"));
    Client waits(server.port());  // to be told to go on with its body
    waits.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
    CHECK(contains(waits.read_all(), "HTTP/1.1 417 "));
    Client encoded(server.port());  // and its body is not the next request
    encoded.send(
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\n"
        "GET /inner HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string refused = encoded.read_all();
    CHECK(contains(refused, "HTTP/1.1 501 "));
    CHECK(contains(refused, "Connection: close\r\n"));
    CHECK_FALSE(contains(refused.substr(1), "HTTP/1.1"));
    Client huge(server.port());
    huge.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n" + std::string(300'000, 'x'));
    CHECK(contains(huge.read_all(), "HTTP/1.1 413 "));
    Client endless(server.port());
    endless.send("GET / HTTP/1.1\r\nX: " + std::string(100'000, 'x'));
    CHECK(contains(endless.read_all(), "HTTP/1.1 431 "));
    CHECK(server.requests == 0);
    CHECK(eventually([&] { return server.connections() == 0; }));
}

TEST_CASE("slow clients are hung up on: while they ask, and while they take the answer") {
    HttpServerLimits limits;
    limits.patience = 300ms;
    Server server("0", limits);
    Client silent(server.port()), slow(server.port()), idle(server.port()), reads_nothing(server.port());
    slow.send("GET / HT");
    idle.get("/");
    for (int i = 0; i < 20; ++i) reads_nothing.get("/big");
    CHECK(silent.closed());
    CHECK(slow.closed());
    CHECK(idle.closed());
    CHECK(eventually([&] { return server.connections() == 0; }));
}

TEST_CASE("more readers of events than there may be are refused") {
    HttpServerLimits limits;
    limits.event_readers = 2;
    Server server("0", limits);
    Client first(server.port()), second(server.port()), third(server.port());
    for (Client* client : {&first, &second}) {
        client->get("/events");
        CHECK(contains(client->read_to("begin\n"), "200 OK"));
    }
    third.get("/events");
    CHECK(contains(third.read_to("at once\n"), "HTTP/1.1 503 "));
    third.get("/other");
    CHECK(contains(third.read_to("127.0.0.1"), "200 OK"));
}

TEST_CASE("who asks often does not keep others from their turn") {
    HttpServerLimits limits;
    limits.requests = 2;
    limits.requests_per_second = 20;
    Server server("0", limits);
    Client greedy(server.port());
    for (int i = 0; i < 1000; ++i) greedy.get("/greedy");
    CHECK(contains(greedy.read_to("127.0.0.1"), "200 OK"));
    Client modest(server.port());
    modest.get("/modest");
    CHECK(contains(modest.read_to("127.0.0.1"), "200 OK"));
    CHECK(server.requests < 1000);  // 50 s before the last of them
}

TEST_CASE("one more connection than there may be ends the one in which nothing happened for longest") {
    HttpServerLimits limits;
    limits.connections = 3;
    Server server("0", limits);
    Client events(server.port());
    events.get("/events");
    CHECK(contains(events.read_to("begin\n"), "200 OK"));
    Client first(server.port());
    CHECK(eventually([&] { return server.connections() == 2; }));
    Client second(server.port());
    CHECK(eventually([&] { return server.connections() == 3; }));
    Client third(server.port());
    CHECK(first.closed());
    third.get("/here");
    CHECK(contains(third.read_to("127.0.0.1"), "/here"));
    second.get("/there");
    CHECK(contains(second.read_to("127.0.0.1"), "/there"));
    server.publish("news\n");
    CHECK(events.read_to("news\n") == "news\n");
}

TEST_CASE("readers of events, one of which does not read") {
    Server server;
    Client reader(server.port()), stalled(server.port()), leaves(server.port());
    for (Client* client : {&reader, &stalled, &leaves}) client->get("/events");
    const std::string head = reader.read_to("begin\n");
    CHECK(contains(head, "Content-Type: text/event-stream\r\n"));
    CHECK_FALSE(contains(head, "Content-Length"));
    CHECK(contains(stalled.read_to("begin\n"), "200 OK"));
    CHECK(contains(leaves.read_to("begin\n"), "200 OK"));
    leaves.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");  // has nothing to ask any more
    CHECK(leaves.closed());
    const std::string block(32'000, 'y');
    // Until what the kernel keeps for it is full, and what the server keeps.
    int published = 0;
    while (server.connections() == 2 && published < 2'000) {
        server.publish(block + std::to_string(published) + "\n");
        CHECK(reader.read_to(std::to_string(published) + "\n").size() > block.size());
        ++published;
    }
    CHECK(server.connections() == 1);
    server.publish("the end\n");
    CHECK(reader.read_to("the end\n") == "the end\n");
}

TEST_CASE("more requests than may be answered wait for their turn") {
    HttpServerLimits limits;
    limits.requests = 5;
    limits.requests_per_second = 50;
    Server server("0", limits);
    const auto start = std::chrono::steady_clock::now();
    Client client(server.port());
    for (int i = 0; i < 15; ++i) {
        client.get("/");
        CHECK(contains(client.read_to("127.0.0.1"), "200 OK"));
    }
    CHECK(std::chrono::steady_clock::now() - start > 150ms);
}

TEST_CASE("a Unix socket is for this user alone, and gone afterwards") {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "socket").string();
    {
        Server server("unix:" + path);
        CHECK(server.place() == path);
        struct stat status {};
        REQUIRE(::stat(path.c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0600);
        Client client(path);
        client.get("/x");
        CHECK(contains(client.read_to("/x "), "200 OK"));
        EventLoop loop;
        CHECK(contains(
            input_error([&] { HttpServer second(loop, parse_listen_address("--http", "unix:" + path), "--http", {}); }),
            "in use"));
    }
    CHECK(::access(path.c_str(), F_OK) != 0);

    // What a program that was killed left behind is in nobody's way; what is no socket stays.
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::bind(left, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    ::close(left);
    { Server server("unix:" + path); }
    folder.write("socket", "a file");
    EventLoop loop;
    CHECK_FALSE(input_error([&] {
                    HttpServer second(loop, parse_listen_address("--http", "unix:" + path), "--http", {});
                }).empty());
    CHECK(::access(path.c_str(), F_OK) == 0);
}

TEST_CASE("a Unix socket whose owner accepts nobody is not waited for") {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "socket").string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const auto* const place = reinterpret_cast<const sockaddr*>(&address);
    const int owner = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::bind(owner, place, sizeof address) == 0);
    REQUIRE(::listen(owner, 0) == 0);
    std::vector<int> clients;
    do {
        clients.push_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
    } while (::connect(clients.back(), place, sizeof address) == 0);
    CHECK(errno == EAGAIN);  // no more of them have room
    EventLoop loop;
    CHECK(contains(
        input_error([&] { HttpServer second(loop, parse_listen_address("--http", "unix:" + path), "--http", {}); }),
        "in use"));
    CHECK(::access(path.c_str(), F_OK) == 0);
    clients.push_back(owner);
    for (const int client : clients) ::close(client);
}

TEST_CASE("a server that ends leaves the Unix socket of another one alone") {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "socket").string();
    auto first = std::make_unique<Server>("unix:" + path);
    REQUIRE(::unlink(path.c_str()) == 0);
    {
        const Server second("unix:" + path);
        first.reset();
        Client client(path);
        client.get("/x");
        CHECK(contains(client.read_to("/x "), "200 OK"));
    }
    CHECK(::access(path.c_str(), F_OK) != 0);
}

TEST_CASE("an address that somebody else listens on") {
    Server server;
    EventLoop loop;
    const std::string text = std::to_string(server.port());
    const std::string sentence =
        input_error([&] { HttpServer second(loop, parse_listen_address("--http", text), "--http", {}); });
    CHECK(contains(sentence, "--http: cannot listen on 127.0.0.1:" + text + ": Address already in use"));
}
