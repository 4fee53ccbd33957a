#include "net/transport/proxy.hpp"

#include <optional>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/transport/sockets.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

std::uint8_t byte_at(const std::string& text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

class Socks5 : public ProxyHandshake {
public:
    Socks5(const ProxyUrl& proxy, const std::string& host, std::uint16_t port) : proxy_(proxy) {
        const std::string v4 = ipv4_bytes(host);
        const std::string v6 = ipv6_bytes(host);
        request_ = std::string("\x05\x01\x00", 3);  // version 5, CONNECT, reserved
        if (!v4.empty()) {
            request_ += '\x01' + v4;
        } else if (!v6.empty()) {
            request_ += '\x04' + v6;
        } else {
            if (host.size() > 255) throw NetworkError("SOCKS5 takes names of at most 255 bytes");
            request_ += '\x03';
            request_ += static_cast<char>(host.size());
            request_ += host;
        }
        request_ += static_cast<char>(port >> 8);
        request_ += static_cast<char>(port & 255);
    }

    std::string greeting() override {
        // The methods on offer: none, and user with password where there is a user.
        return proxy_.user.empty() ? std::string("\x05\x01\x00", 3) : std::string("\x05\x02\x00\x02", 4);
    }

    std::string answer(std::string& received) override {
        if (state_ == State::kMethod && received.size() >= 2) return take_method(received);
        if (state_ == State::kLogin && received.size() >= 2) {
            if (byte_at(received, 1) != 0) throw NetworkError("the proxy refuses the user or the password");
            received.erase(0, 2);
            state_ = State::kReply;
            return request_;
        }
        if (state_ == State::kReply) take_reply(received);
        return {};
    }

    bool done() const override { return state_ == State::kDone; }

private:
    enum class State { kMethod, kLogin, kReply, kDone };

    std::string take_method(std::string& received) {
        if (byte_at(received, 0) != 5) throw NetworkError("the proxy does not speak SOCKS5");
        const std::uint8_t method = byte_at(received, 1);
        received.erase(0, 2);
        if (method == 0) {
            state_ = State::kReply;
            return request_;
        }
        if (method != 2 || proxy_.user.empty()) throw NetworkError("the proxy requires a user and a password");
        state_ = State::kLogin;
        std::string login = "\x01";
        login += static_cast<char>(proxy_.user.size());
        login += proxy_.user;
        login += static_cast<char>(proxy_.password.size());
        return login + proxy_.password;
    }

    void take_reply(std::string& received) {
        if (received.size() < 2) return;
        if (byte_at(received, 0) != 5) throw NetworkError("the proxy does not speak SOCKS5");
        const std::uint8_t reply = byte_at(received, 1);
        if (reply != 0) throw NetworkError(fmt::format("the proxy says: {}", reason(reply)));
        // Version, reply, reserved, then the address that the proxy uses for this: its form, itself, its port.
        if (received.size() < 5) return;
        const std::size_t length = address_length(received);
        if (received.size() < 4 + length + 2) return;
        received.erase(0, 4 + length + 2);
        state_ = State::kDone;
    }

    static std::size_t address_length(const std::string& reply) {
        switch (byte_at(reply, 3)) {
            case 1: return 4;
            case 3: return 1U + byte_at(reply, 4);
            case 4: return 16;
            default: throw NetworkError("the proxy does not speak SOCKS5");
        }
    }

    static std::string reason(std::uint8_t reply) {  // RFC 1928, section 6
        switch (reply) {
            case 1: return "general failure";
            case 2: return "not allowed by its rules";
            case 3: return "network unreachable";
            case 4: return "host unreachable";
            case 5: return "connection refused";
            case 6: return "time to live expired";
            case 7: return "command not supported";
            case 8: return "address type not supported";
            default: return fmt::format("error {}", reply);
        }
    }

    ProxyUrl proxy_;
    std::string request_;
    State state_ = State::kMethod;
};

class HttpConnect : public ProxyHandshake {
public:
    HttpConnect(const ProxyUrl& proxy, const std::string& host, std::uint16_t port) {
        const std::string place = host_and_port(host, port);
        request_ = fmt::format("CONNECT {} HTTP/1.1\r\nHost: {}\r\n", place, place);
        if (!proxy.user.empty()) {
            request_ += fmt::format("Proxy-Authorization: {}\r\n", basic_authorization(proxy.user, proxy.password));
        }
        request_ += "\r\n";
    }

    std::string greeting() override { return request_; }

    std::string answer(std::string& received) override {
        constexpr std::size_t kLongestHead = 16'384;
        const std::size_t end = received.find("\r\n\r\n");
        if (end == std::string::npos) {
            if (received.size() > kLongestHead) throw NetworkError("the proxy does not speak HTTP");
            return {};
        }
        const std::string status = received.substr(0, received.find("\r\n"));
        received.erase(0, end + 4);
        // "HTTP/1.1 200 Connection established"
        const bool http = status.starts_with("HTTP/1.") && status.size() >= 12 && status[8] == ' ';
        if (!http) throw NetworkError("the proxy does not speak HTTP");
        if (status.compare(9, 3, "407") == 0)
            throw NetworkError("the proxy requires a user and a password, or different ones");
        if (status[9] != '2') throw NetworkError(fmt::format("the proxy says: {}", quoted_text(status.substr(9), 80)));
        done_ = true;
        return {};
    }

    bool done() const override { return done_; }

private:
    std::string request_;
    bool done_ = false;
};

}  // namespace

std::unique_ptr<ProxyHandshake> make_proxy_handshake(const ProxyUrl& proxy, const std::string& host,
                                                     std::uint16_t port) {
    if (proxy.kind == ProxyKind::kHttp) return std::make_unique<HttpConnect>(proxy, host, port);
    return std::make_unique<Socks5>(proxy, host, port);
}

}  // namespace gpuminer::net
