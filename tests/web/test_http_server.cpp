// Tests of the HTTP server against clients that are slow, many, malformed or gone.
#include "net/transport/http_server.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/transport/scripted_server.hpp"
#include "tests/unit/temporary_folder.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using namespace std::chrono_literals;
using gpuminer::test::eventually;
using gpuminer::test::TemporaryFolder;

namespace {

/// A server on a loop and a thread of its own. "/big": 1 MB; "/events": a reader of events; else the path itself.
class Server {
public:
    explicit Server(const std::string& address = "0", const HttpServerLimits& limits = {})
        : server_(
              loop_, parse_listen_address("--http", address), "--http",
              [this](const ServerRequest& request) { return answer(request); }, limits),
          thread_([this] { loop_.run(); }) {}
    ~Server() {
        loop_.stop();
        thread_.join();
    }
    [[nodiscard]] std::uint16_t port() const {
        const std::string place = server_.place();
        return static_cast<std::uint16_t>(std::stoi(place.substr(place.rfind(':') + 1)));
    }
    [[nodiscard]] const std::string& place() const { return server_.place(); }
    [[nodiscard]] std::size_t connections() {
        std::atomic<std::size_t> count{std::string::npos};
        loop_.post([&] { count = server_.connections(); });
        eventually([&] { return count != std::string::npos; });
        return count;
    }
    void publish(const std::string& text) {
        loop_.post([this, text = std::make_shared<const std::string>(text)] { server_.publish(text); });
    }
    std::atomic<int> requests{0};

private:
    ServerReply answer(const ServerRequest& request) {
        ++requests;
        if (request.path == "/events")
            return {.content_type = "text/event-stream",
                    .body = std::make_shared<const std::string>("begin\n"),
                    .events = true};
        if (request.path == "/big") return {.content_type = "text/plain", .body = big_};
        const std::string text = request.method + " " + request.path + " " + request.local_address + request.body;
        return {.content_type = "text/plain", .body = std::make_shared<const std::string>(text)};
    }

    const std::shared_ptr<const std::string> big_ = std::make_shared<const std::string>(1'000'000, 'x');
    EventLoop loop_;
    HttpServer server_;
    std::thread thread_;
};

/// A client with a blocking socket.
class Client {
public:
    explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    explicit Client(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    ~Client() { ::close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(const std::string& text) const { (void)::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
    void get(const std::string& path) const { send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n"); }
    /// Reads until `end` is there, or the server has closed the connection.
    std::string read_to(const std::string& end) {
        while (received_.find(end) == std::string::npos && read_more()) {
        }
        const std::size_t at = received_.find(end);
        const std::size_t size = at == std::string::npos ? received_.size() : at + end.size();
        const std::string text = received_.substr(0, size);
        received_.erase(0, size);
        return text;
    }
    std::string read_all() { return read_to("\xff\xff never"); }
    [[nodiscard]] bool closed(std::chrono::milliseconds patience = 20'000ms) {
        while (wait(patience)) {
            if (!read_more()) return true;
        }
        return false;
    }

private:
    [[nodiscard]] bool wait(std::chrono::milliseconds patience) const {
        pollfd event{socket_, POLLIN, 0};
        return ::poll(&event, 1, static_cast<int>(patience.count())) == 1;
    }
    bool read_more() {
        char buffer[65536];
        if (!wait(20'000ms)) return false;
        const ssize_t size = ::recv(socket_, buffer, sizeof buffer, 0);
        if (size > 0) received_.append(buffer, static_cast<std::size_t>(size));
        return size > 0;
    }

    const int socket_;
    std::string received_;
};

}  // namespace

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

TEST_CASE("what is no request is answered, and ends the connection") {
    Server server;
    Client nonsense(server.port());
    nonsense.send("\x16\x03\x01 nonsense\r\n\r\n");
    CHECK(contains(nonsense.read_all(), "HTTP/1.1 400 Bad Request\r\n"));
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

TEST_CASE("an address that somebody else listens on") {
    Server server;
    EventLoop loop;
    const std::string text = std::to_string(server.port());
    const std::string sentence =
        input_error([&] { HttpServer second(loop, parse_listen_address("--http", text), "--http", {}); });
    CHECK(contains(sentence, "--http: cannot listen on 127.0.0.1:" + text + ": Address already in use"));
}
