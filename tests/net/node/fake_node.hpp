// Full node for tests: JSON-RPC over HTTP on a port of this computer, with the replies that a test sets.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

struct FakeReply {
    int status = 200;
    std::string body;
};

class FakeNode {
public:
    /// With a certificate and its key (PEM files): https. `port`: 0 for any that is free.
    explicit FakeNode(std::uint16_t port = 0, const std::string& certificate = {}, const std::string& key = {});
    ~FakeNode();  ///< closes all connections
    FakeNode(const FakeNode&) = delete;
    FakeNode& operator=(const FakeNode&) = delete;

    [[nodiscard]] std::uint16_t port() const;
    /// "http://user:pass@127.0.0.1:PORT"
    [[nodiscard]] std::string url(const std::string& login = "user:pass") const;

    void set_login(const std::string& user_and_password);
    /// getblockchaininfo's
    void set_chain(const std::string& name);
    /// A template to begin with; an accepted block makes the next one of it.
    void set_template(const nlohmann::json& block_template);
    /// Changes the current template (and its longpollid), as a new block of somebody else's would.
    void change_template(const std::function<void(nlohmann::json&)>& change);
    /// This method's result, or its JSON-RPC error, from now on.
    void set_result(const std::string& method, const nlohmann::json& result);
    void set_error(const std::string& method, int code, const std::string& message);
    /// Every call gets this.
    void set_raw(std::optional<FakeReply> reply);
    /// Back to what the node does by itself.
    void reset(const std::string& method);
    /// As btcd, which closes the connection after each reply.
    void set_close_connections(bool on);
    void set_delay_ms(unsigned delay);  ///< of each reply
    /// Calls of this method get their reply when it is released.
    void hold(const std::string& method);
    void release(const std::string& method);
    /// Of more than so many calls at a time it refuses the last with HTTP 503, as Bitcoin Core does.
    void set_most_calls(unsigned most);
    /// How many calls it has refused for that.
    [[nodiscard]] unsigned refused() const;
    /// The last accepted block is off the chain, and not known any more: as after a crash of the node.
    void lose_last_block();

    [[nodiscard]] unsigned calls(const std::string& method) const;
    [[nodiscard]] nlohmann::json last_request(const std::string& method) const;
    /// Blocks that came by submitblock, in hex, in order.
    [[nodiscard]] std::vector<std::string> blocks() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};
