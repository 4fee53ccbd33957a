#include "tests/net/node/fake_node.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <nlohmann/json.hpp>

#include "tests/net/node/node_block.hpp"
#include "tests/net/node/node_request.hpp"
#include "tests/net/transport/scripted_server.hpp"

using gpuminer::test::bip54_fault;
using gpuminer::test::hash_of_block;
using gpuminer::test::NodeRequest;
using gpuminer::test::Peer;
using gpuminer::test::read_node_request;
using gpuminer::test::ScriptedServer;
using nlohmann::json;

namespace {

std::string base64(const std::string& text) {
    std::string encoded(4 * ((text.size() + 2) / 3) + 1, '\0');
    encoded.resize(static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                                                            reinterpret_cast<const unsigned char*>(text.data()),
                                                            static_cast<int>(text.size()))));
    return encoded;
}

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

Context make_context(const std::string& certificate, const std::string& key) {
    Context context(nullptr, SSL_CTX_free);
    if (certificate.empty()) return context;
    context.reset(SSL_CTX_new(TLS_server_method()));
    if (SSL_CTX_use_certificate_file(context.get(), certificate.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) {
        throw std::runtime_error("the fake node's certificate cannot be used");
    }
    return context;
}

}  // namespace

struct FakeNode::Impl {
    Context context;  ///< null: no TLS
    std::optional<ScriptedServer> server;

    mutable std::mutex mutex;  // guards the rest
    std::condition_variable changed;
    bool stopping = false;
    std::string login = "user:pass";
    std::string chain = "regtest";
    json block_template;
    std::map<std::string, json> overrides;  ///< {"result": …, "error": …}
    std::optional<FakeReply> raw;
    bool close_connections = false;
    unsigned delay_ms = 0;
    unsigned most_calls = 1000;
    unsigned under_way = 0;
    unsigned refused = 0;
    std::set<std::string> held;  ///< methods
    std::map<std::string, unsigned> calls;
    std::map<std::string, json> requests;
    std::vector<std::string> blocks;
    std::map<std::string, std::uint64_t> heights;  ///< of accepted blocks, by hash
    std::string parent;                            ///< of the last accepted block

    explicit Impl(Context c) : context(std::move(c)) {}

    void converse(Peer& peer) {
        while (const auto request = read_node_request(peer)) {
            std::unique_lock lock(mutex);
            FakeReply reply;
            ++under_way;
            try {
                if (under_way > most_calls) {
                    ++refused;
                    reply = {503, "Work queue depth exceeded"};
                } else {
                    reply = reply_to(*request, lock);
                }
            } catch (const std::exception& error) {  // a call that the test has not prepared for
                reply = {500, error.what()};
            }
            --under_way;
            const bool close = close_connections;
            lock.unlock();
            const bool sent = peer.send("HTTP/1.1 " + std::to_string(reply.status) +
                                        " Words\r\nContent-Length: " + std::to_string(reply.body.size()) + "\r\n" +
                                        (close ? "Connection: close\r\n" : "") + "\r\n" + reply.body);
            if (!sent || close) return;
        }
    }

    FakeReply reply_to(const NodeRequest& request, std::unique_lock<std::mutex>& lock) {
        if (delay_ms > 0) {
            changed.wait_for(lock, std::chrono::milliseconds(delay_ms), [&] { return stopping; });
        }
        if (raw) return *raw;
        if (request.authorization != "Basic " + base64(login)) return {401, ""};
        const json call = json::parse(request.body);
        const std::string method = call.at("method");
        if (call.at("jsonrpc") != "1.0") return {200, ""};  // as btcd: an empty body
        ++calls[method];
        requests[method] = call.at("params");
        changed.wait(lock, [&] { return stopping || held.count(method) == 0; });
        json reply = {{"result", nullptr}, {"error", nullptr}, {"id", call.at("id")}};
        if (const auto it = overrides.find(method); it != overrides.end()) {
            if (method == "submitblock") blocks.push_back(call.at("params").at(0));
            reply.update(it->second);
        } else {
            reply.update(answer(method, call.at("params"), lock));
        }
        return {reply.at("error").is_null() ? 200 : 500, reply.dump()};  // 500: as Bitcoin Core
    }

    json answer(const std::string& method, const json& params, std::unique_lock<std::mutex>& lock) {
        if (method == "getblockchaininfo") {
            return {{"result", {{"chain", chain}, {"blocks", 1}, {"headers", 1}, {"initialblockdownload", false}}}};
        }
        if (method == "getconnectioncount") return {{"result", 8}};
        if (method == "getbestblockhash") return {{"result", block_template.at("previousblockhash")}};
        if (method == "getblocktemplate") {
            const std::string id = params.at(0).value("longpollid", "");
            changed.wait(lock, [&] { return stopping || id != block_template.at("longpollid"); });
            return {{"result", block_template}};
        }
        if (method == "submitblock") return {{"result", submit(params.at(0))}};
        if (method == "getblockheader") {
            const auto it = heights.find(params.at(0));
            if (it == heights.end()) return {{"error", {{"code", -5}, {"message", "Block not found"}}}};
            return {{"result", {{"time", 1'700'000'000}, {"height", it->second}, {"confirmations", 1}}}};
        }
        if (method == "getblockhash") {
            for (const auto& [hash, height] : heights) {
                if (height == params.at(0)) return {{"result", hash}};
            }
            return {{"error", {{"code", -8}, {"message", "Block height out of range"}}}};
        }
        return {{"error", {{"code", -32601}, {"message", "Method not found"}}}};
    }

    json submit(const std::string& hex) {
        blocks.push_back(hex);
        const std::string hash = hash_of_block(hex);
        if (heights.count(hash) != 0) return "duplicate";
        std::string previous;  // bytes 4 to 35, reversed
        for (int i = 35; i >= 4; --i) previous += hex.substr(2 * static_cast<std::size_t>(i), 2);
        if (previous != block_template.at("previousblockhash")) return "inconclusive";
        const std::uint64_t height = block_template.at("height");
        if (const std::string fault = bip54_fault(hex, height); !fault.empty()) return fault;
        heights[hash] = height;
        parent = previous;
        block_template["previousblockhash"] = hash;
        block_template["height"] = height + 1;
        block_template["longpollid"] = hash + std::to_string(height + 1);
        changed.notify_all();
        return nullptr;
    }
};

FakeNode::FakeNode(std::uint16_t port, const std::string& certificate, const std::string& key)
    : impl_(std::make_unique<Impl>(make_context(certificate, key))) {
    impl_->server.emplace([this](Peer& peer, int) { impl_->converse(peer); }, impl_->context.get(), port);
}

FakeNode::~FakeNode() {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->stopping = true;
    }
    impl_->changed.notify_all();
    impl_->server.reset();
}

std::uint16_t FakeNode::port() const { return impl_->server->port(); }

std::string FakeNode::url(const std::string& login) const {
    return (impl_->context ? "https://" : "http://") + login + (login.empty() ? "" : "@") +
           "127.0.0.1:" + std::to_string(port());
}

void FakeNode::set_login(const std::string& user_and_password) {
    const std::lock_guard lock(impl_->mutex);
    impl_->login = user_and_password;
}

void FakeNode::set_chain(const std::string& name) {
    const std::lock_guard lock(impl_->mutex);
    impl_->chain = name;
}

void FakeNode::set_template(const json& block_template) {
    change_template([&](json& t) { t = block_template; });
}

void FakeNode::change_template(const std::function<void(json&)>& change) {
    {
        const std::lock_guard lock(impl_->mutex);
        change(impl_->block_template);
        static unsigned number = 0;
        impl_->block_template["longpollid"] = "changed" + std::to_string(++number);
    }
    impl_->changed.notify_all();
}

void FakeNode::set_result(const std::string& method, const json& result) {
    const std::lock_guard lock(impl_->mutex);
    impl_->overrides[method] = {{"result", result}};
}

void FakeNode::set_error(const std::string& method, int code, const std::string& message) {
    const std::lock_guard lock(impl_->mutex);
    impl_->overrides[method] = {{"error", {{"code", code}, {"message", message}}}};
}

void FakeNode::set_raw(std::optional<FakeReply> reply) {
    const std::lock_guard lock(impl_->mutex);
    impl_->raw = std::move(reply);
}

void FakeNode::reset(const std::string& method) {
    const std::lock_guard lock(impl_->mutex);
    impl_->overrides.erase(method);
}

void FakeNode::set_close_connections(bool on) {
    const std::lock_guard lock(impl_->mutex);
    impl_->close_connections = on;
}

void FakeNode::set_delay_ms(unsigned delay) {
    const std::lock_guard lock(impl_->mutex);
    impl_->delay_ms = delay;
}

void FakeNode::set_most_calls(unsigned most) {
    const std::lock_guard lock(impl_->mutex);
    impl_->most_calls = most;
}

unsigned FakeNode::refused() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->refused;
}

void FakeNode::hold(const std::string& method) {
    const std::lock_guard lock(impl_->mutex);
    impl_->held.insert(method);
}

void FakeNode::release(const std::string& method) {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->held.erase(method);
    }
    impl_->changed.notify_all();
}

void FakeNode::lose_last_block() {
    change_template([this](json& block_template) {
        impl_->heights.erase(block_template.at("previousblockhash"));
        block_template["previousblockhash"] = impl_->parent;
        block_template["height"] = block_template.at("height").get<std::uint64_t>() - 1;
    });
}

unsigned FakeNode::calls(const std::string& method) const {
    const std::lock_guard lock(impl_->mutex);
    const auto it = impl_->calls.find(method);
    return it == impl_->calls.end() ? 0 : it->second;
}

json FakeNode::last_request(const std::string& method) const {
    const std::lock_guard lock(impl_->mutex);
    const auto it = impl_->requests.find(method);
    return it == impl_->requests.end() ? json() : it->second;
}

std::vector<std::string> FakeNode::blocks() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->blocks;
}
