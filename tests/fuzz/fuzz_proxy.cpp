// Fuzzer of the handshakes with proxies. Whatever a proxy sends, in whatever pieces, the way is open or it is refused
// with a plain sentence, and what comes from the server behind is left as it is.
#include <cstdint>
#include <memory>
#include <string>

#include "host/errors.hpp"
#include "net/transport/proxy.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

/// How a handshake ended, with all that was sent.
struct Outcome {
    bool done = false;
    std::string refusal, sent, left;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// With a proxy that sends `text` in pieces of so many bytes.
Outcome talk(const ProxyUrl& proxy, const std::string& host, const std::string& text, std::size_t piece) {
    Outcome outcome;
    const auto handshake = make_proxy_handshake(proxy, host, 3333);
    outcome.sent = handshake->greeting();
    std::string received;
    try {
        for (std::size_t at = 0; at < text.size() || at == 0; at += piece) {
            if (handshake->done()) {
                outcome.left += text.substr(at, piece);
                continue;
            }
            received += text.substr(at, piece);
            // As many answers as there are complete replies.
            for (std::size_t before = received.size() + 1; !handshake->done() && received.size() < before;) {
                before = received.size();
                outcome.sent += handshake->answer(received);
            }
            if (handshake->done()) outcome.left = received;
        }
    } catch (const NetworkError& error) {
        fuzz::demand_plain_sentence(error.what());
        outcome.refusal = error.what();
        outcome.left.clear();
    }
    outcome.done = handshake->done();
    if (!outcome.done) outcome.left.clear();
    return outcome;
}

}  // namespace

/// The first byte: the kind of proxy, whether there is a user, a name or an address.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kLongest = 16'384;  // of an HTTP head; beyond, pieces matter
    if (size == 0 || size > kLongest) return 0;
    ProxyUrl proxy;
    proxy.kind = data[0] % 2 == 0 ? ProxyKind::kSocks5 : ProxyKind::kHttp;
    if (data[0] / 2 % 2 == 1) {
        proxy.user = "user";
        proxy.password = "secret";
    }
    const char* const hosts[] = {"pool.example", "192.0.2.7", "2001:db8::7"};
    const std::string host = hosts[data[0] / 4 % 3];
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const Outcome whole = talk(proxy, host, text, text.size() + 1);
    demand(whole == talk(proxy, host, text, 1), "pieces do not matter");
    if (text.find("secret") == std::string::npos)
        demand(whole.refusal.find("secret") == std::string::npos, "no password is shown");
    demand(text.ends_with(whole.left), "what the server behind has sent is left as it is");
    if (proxy.user.empty()) demand(whole.sent.find("secret") == std::string::npos, "no password is sent");
    return 0;
}
