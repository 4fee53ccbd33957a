#include "tests/net/node/rpc_server.hpp"

#include <condition_variable>
#include <exception>
#include <optional>
#include <utility>

#include <openssl/evp.h>

#include "tests/net/transport/scripted_server.hpp"

namespace gpuminer::test {
namespace {

using nlohmann::json;

std::string base64(const std::string& text) {
    std::string encoded(4 * ((text.size() + 2) / 3) + 1, '\0');
    encoded.resize(static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                                                            reinterpret_cast<const unsigned char*>(text.data()),
                                                            static_cast<int>(text.size()))));
    return encoded;
}

struct Request {
    std::string authorization;
    std::string body;
};

/// Empty: the client has closed, or it is no request.
std::optional<Request> read_request(Peer& peer) {
    constexpr double kKeepAlive = 60;  // seconds
    const auto first = peer.next_byte(kKeepAlive);
    if (!first) return std::nullopt;
    if (*first != 'P') {  // not "POST", but a TLS handshake
        peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        peer.wait_for_close();
        return std::nullopt;
    }
    if (peer.read_line() != "POST / HTTP/1.1\r") return std::nullopt;
    Request request;
    std::size_t length = 0;
    for (auto line = peer.read_line(); line != "\r"; line = peer.read_line()) {
        if (!line) return std::nullopt;
        const std::size_t colon = line->find(": ");
        const std::string name = line->substr(0, colon);
        const std::string value = colon == std::string::npos ? "" : line->substr(colon + 2, line->size() - colon - 3);
        if (name == "Authorization") request.authorization = value;
        if (name == "Content-Length") length = std::stoul(value);
    }
    request.body = peer.read_bytes(length);
    if (request.body.size() != length) return std::nullopt;
    return request;
}

}  // namespace

struct RpcServer::Impl {
    Impl(Serve s, SSL_CTX* context) : tls(context), serve(std::move(s)) {}

    SSL_CTX* const tls;
    std::optional<ScriptedServer> server;

    mutable std::mutex mutex;  // guards the rest
    std::condition_variable changed;
    bool stopping = false;
    Serve serve;
    std::string login = "user:pass";
    bool close_connections = false;
    unsigned calls = 0;

    void converse(Peer& peer) {
        while (const auto request = read_request(peer)) {
            std::unique_lock lock(mutex);
            const bool close = close_connections;
            const auto reply = answer(*request, lock);
            lock.unlock();
            if (!reply) return;
            const bool sent = peer.send("HTTP/1.1 " + std::to_string(reply->status) +
                                        " Words\r\nContent-Length: " + std::to_string(reply->body.size()) + "\r\n" +
                                        (close ? "Connection: close\r\n" : "") + "\r\n" + reply->body);
            if (!sent || close) return;
        }
    }

    /// Empty: the server stops.
    std::optional<NodeReply> answer(const Request& request, std::unique_lock<std::mutex>& lock) {
        if (request.authorization != "Basic " + base64(login)) return NodeReply{401, ""};
        const json call = json::parse(request.body);
        if (call.at("jsonrpc") != "1.0") return NodeReply{200, ""};  // as btcd
        ++calls;
        const auto reply = std::make_shared<std::optional<NodeReply>>();
        try {
            serve(call.at("method"), call.at("params"), [this, reply](NodeReply given) {
                *reply = std::move(given);
                changed.notify_all();
            });
        } catch (const std::exception& error) {  // a call that the test has not prepared for
            return NodeReply{500, error.what()};
        }
        changed.wait(lock, [&] { return stopping || *reply; });
        return *reply;
    }
};

RpcServer::RpcServer(Serve serve, std::uint16_t port, SSL_CTX* tls)
    : impl_(std::make_unique<Impl>(std::move(serve), tls)) {
    impl_->server.emplace([this](Peer& peer, int) { impl_->converse(peer); }, tls, port);
}

RpcServer::~RpcServer() {
    {
        const auto held = lock();
        impl_->stopping = true;
    }
    impl_->changed.notify_all();
    impl_->server.reset();
}

std::uint16_t RpcServer::port() const { return impl_->server->port(); }

std::string RpcServer::url(const std::string& login) const {
    return (impl_->tls != nullptr ? "https://" : "http://") + login + (login.empty() ? "" : "@") +
           impl_->server->place();
}

std::unique_lock<std::mutex> RpcServer::lock() const { return std::unique_lock(impl_->mutex); }

void RpcServer::set_serve(Serve serve) {
    const auto held = lock();
    impl_->serve = std::move(serve);
}

void RpcServer::set_login(const std::string& user_and_password) {
    const auto held = lock();
    impl_->login = user_and_password;
}

void RpcServer::set_close_connections(bool on) {
    const auto held = lock();
    impl_->close_connections = on;
}

unsigned RpcServer::calls() const {
    const auto held = lock();
    return impl_->calls;
}

RpcServer::Serve always(const NodeReply& reply) {
    return [=](const std::string&, const json&, const auto& send) { send(reply); };
}

RpcServer::Serve always(const json& result) {
    return always(NodeReply{200, json{{"result", result}, {"error", nullptr}, {"id", 1}}.dump()});
}

}  // namespace gpuminer::test
