// A full node's JSON-RPC interface: its URL, its login, and the certificates to trust.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/transport/endpoint.hpp"

namespace gpuminer::net {

struct NodeUrl {
    bool tls = false;
    std::string host;  ///< a name, an IPv4 address, or an IPv6 address without its brackets
    std::uint16_t port = 0;
    std::string path = "/";
    std::string user, password;  ///< empty: none

    /// For messages: "http://host:port/path", without user and password.
    [[nodiscard]] std::string text() const;
};

/// "http://[user:pass@]host[:port][/path]", https too; without a scheme http. User and password may have %XX in them,
/// and anything else as it is. Throws InputError (which does not repeat the password).
[[nodiscard]] NodeUrl parse_node_url(std::string_view text, std::uint16_t default_port);

class CallGate;

/// A node, with all that is needed to call it.
struct NodeAccess {
    NodeUrl url;
    std::filesystem::path cookie_file;  ///< "user:password", made anew at each start of the node; empty: none
    TlsOptions tls;                     ///< for https
    std::shared_ptr<CallGate> gate;     ///< of all clients that call this node; null: none
    /// Called during a call, on the loop's thread, where the node has taken the connection and sent nothing for five
    /// seconds.
    std::function<void()> silent;  ///< null: nobody wants to know
    std::function<void()>
        before_parse;  ///< called off the loop before a template is parsed; null: nobody wants to know
};

}  // namespace gpuminer::net
