// Access control: tokens, and the names under which a browser may have reached this server.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/transport/http_server.hpp"

namespace gpuminer::web {

struct AccessRules {
    std::string token;                     ///< empty: there is none, and nobody may change anything
    bool open_reads = true;                ///< without a token: the server listens on this machine alone
    std::vector<std::string> extra_hosts;  ///< names and addresses under which it may be reached, too: by a proxy
};

/// In a time that tells nothing but the lengths.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b);

class Access {
public:
    explicit Access(AccessRules rules);

    /// Whether the Host is this machine (an address of it, localhost, one of extra_hosts) and the Origin, if there is
    /// one, the same: a page of somebody else's, also under a name that resolves to this machine, gets nothing.
    [[nodiscard]] bool host_is_ours(const net::ServerRequest& request) const;
    /// With the token, as "Authorization: Bearer" or in the session's cookie.
    [[nodiscard]] bool knows_token(const net::ServerRequest& request) const;
    /// With the token, and without it where the client is surely on this machine: behind a proxy all seem to be. Only
    /// this user can open a Unix socket.
    [[nodiscard]] bool may_read(const net::ServerRequest& request) const;
    /// Whether it is the token.
    [[nodiscard]] bool is_token(const std::string& text) const;
    /// For "Set-Cookie", to one who knows the token. Its value is not the token, and the same after a restart. Cookies
    /// do not tell ports apart: its name is that of the token, so that miners on one host leave each other's alone.
    [[nodiscard]] std::string cookie() const;
    [[nodiscard]] bool has_token() const { return !rules_.token.empty(); }

private:
    const AccessRules rules_;
    const std::string cookie_name_, session_;  ///< the cookie's name and value
};

}  // namespace gpuminer::web
