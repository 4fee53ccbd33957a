// A full node's HTTP server for tests, on a port of this machine: the wire by which a client reaches a node of the
// test's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <openssl/types.h>
#include <nlohmann/json.hpp>

#include "tests/simulation/node_model.hpp"

namespace gpuminer::test {

using simulation::NodeReply;

class RpcServer {
public:
    /// What NodeModel::serve() does. One call at a time, on threads of the server's own.
    using Serve = std::function<void(const std::string& method, const nlohmann::json& params,
                                     const simulation::NodeModel::Reply& reply)>;
    /// `port`: 0 for any that is free. With `tls`, which the test owns: https.
    explicit RpcServer(Serve serve, std::uint16_t port = 0, SSL_CTX* tls = nullptr);
    ~RpcServer();  ///< closes all connections
    RpcServer(const RpcServer&) = delete;
    RpcServer& operator=(const RpcServer&) = delete;

    [[nodiscard]] std::uint16_t port() const;
    /// "http://user:pass@127.0.0.1:PORT"
    [[nodiscard]] std::string url(const std::string& login = "user:pass") const;

    void set_serve(Serve serve);
    void set_login(const std::string& user_and_password);
    /// As btcd, which closes the connection after each reply.
    void set_close_connections(bool on);
    /// Calls so far that had the right login.
    [[nodiscard]] unsigned calls() const;
    /// No call is served while the lock is held.
    [[nodiscard]] std::unique_lock<std::mutex> lock() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Every call gets this.
[[nodiscard]] RpcServer::Serve always(const NodeReply& reply);
[[nodiscard]] RpcServer::Serve always(const nlohmann::json& result);

}  // namespace gpuminer::test
