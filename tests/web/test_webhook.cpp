// Tests of webhooks: requests, retries, and failures without retry.
#include "web/webhook.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/messages.hpp"
#include "tests/net/transport/scripted_server.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::web;
using namespace std::chrono_literals;

namespace {

/// A server that answers with these statuses, one after the other, and then with 200; what it was sent.
class Receiver {
public:
    explicit Receiver(std::vector<int> statuses = {})
        : statuses_(std::move(statuses)), server_([this](Peer& peer, int) { serve(peer); }) {}
    [[nodiscard]] std::string url() const { return "http://user:secret@" + server_.place() + "/path/secret?x=1#there"; }
    [[nodiscard]] std::vector<std::string> requests() {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

private:
    void serve(Peer& peer) {
        while (const auto line = peer.read_line()) {
            std::string request = *line + "\n";
            std::size_t size = 0;
            while (const auto field = peer.read_line()) {
                if (field->size() <= 1) break;
                if (field->starts_with("Content-Length: ")) size = std::stoul(field->substr(16));
                request += *field + "\n";
            }
            request += peer.read_bytes(size);
            int status = 200;
            {
                const std::lock_guard lock(mutex_);
                if (requests_.size() < statuses_.size()) status = statuses_[requests_.size()];
                requests_.push_back(request);
            }
            if (status == 0) return;  // hangs up
            peer.send("HTTP/1.1 " + std::to_string(status) + " x\r\nContent-Length: 0\r\n\r\n");
        }
    }

    const std::vector<int> statuses_;
    std::mutex mutex_;
    std::vector<std::string> requests_;
    ScriptedServer server_;
};

/// A webhook, and what it says.
class Sent {
public:
    explicit Sent(const std::string& url)
        : hook(
              parse_webhook_url(url),
              [this](Severity, const std::string& text) {
                  const std::lock_guard lock(mutex_);
                  said_ += text + "\n";
              },
              10ms) {}
    [[nodiscard]] std::string said() {
        const std::lock_guard lock(mutex_);
        return said_;
    }

private:
    std::mutex mutex_;
    std::string said_;

public:
    Webhook hook;
};

}  // namespace

TEST_CASE("an alert as it is sent") {
    Receiver receiver;
    Sent sent(receiver.url());
    sent.hook.send(R"({"event": "block"})");
    REQUIRE(eventually([&] { return receiver.requests().size() == 1; }));
    const std::string request = receiver.requests()[0];
    CHECK(request.starts_with("POST /path/secret?x=1 HTTP/1.1\r\n"));
    CHECK(contains(request, "Content-Type: application/json\r\n"));
    CHECK(contains(request, "Authorization: Basic dXNlcjpzZWNyZXQ="));
    CHECK(request.ends_with(R"({"event": "block"})"));
    CHECK(sent.said().empty());
}

TEST_CASE("what fails is tried again, in its order, and what is refused is not") {
    Receiver receiver({0, 500, 429, 200, 404});
    Sent sent(receiver.url());
    sent.hook.send("1");
    sent.hook.send("2");
    sent.hook.send("3");
    REQUIRE(eventually([&] { return receiver.requests().size() >= 6; }));
    std::string bodies;
    for (const std::string& request : receiver.requests()) bodies += request.back();
    CHECK(bodies == "111123");
    CHECK(contains(sent.said(), "; retrying"));
    CHECK(contains(sent.said(), "answers 404; the alert is not delivered"));
    CHECK_FALSE(contains(sent.said(), "secret"));
}

TEST_CASE("a server that nobody hears of costs no memory, and no time at the end") {
    const auto start = std::chrono::steady_clock::now();
    {
        Sent sent("http://" + closed_place() + "/");
        for (int i = 0; i < 100; ++i) sent.hook.send(std::to_string(i));
        CHECK(eventually([&] { return contains(sent.said(), "does not keep up"); }));
        CHECK(eventually([&] { return contains(sent.said(), "is not delivered"); }));
    }
    CHECK(std::chrono::steady_clock::now() - start < 60s);
}

TEST_CASE("URLs of webhooks") {
    const WebhookUrl url = parse_webhook_url("https://ntfy.example/topic");
    CHECK(url.tls);
    CHECK(url.port == 443);
    CHECK(url.target == "/topic");
    CHECK(parse_webhook_url("http://[::1]:81").target == "/");
    CHECK(parse_webhook_url("http://a?x").target == "/?x");
    for (const char* text :
         {"", "ntfy.example/topic", "ftp://a/secret", "https://", "https:///secret", "https://a:x/secret",
          "https://a:0/secret", "https://a/secret with blanks", "https://a b/secret"}) {
        CAPTURE(text);
        const std::string sentence = input_error([&] { (void)parse_webhook_url(text); });
        CHECK(contains(sentence, "--webhook: expected https://"));
        CHECK_FALSE(contains(sentence, "secret"));
    }
}
