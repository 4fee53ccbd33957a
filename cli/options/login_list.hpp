// Logins of pools, as the options of a command line give them one after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/pool/options.hpp"
#include "net/transport/endpoint.hpp"

namespace gpuminer {

/// In the order of the command line: -u, -p, --pass-file and -O belong to the -o before them; those before the first -o
/// are for the pools that have none of their own. A pool without a user takes over user and password of the one before
/// it, but nobody's password goes to another user's pool.
class LoginList {
public:
    /// One of the options of a login, by its long name.
    [[nodiscard]] static bool takes(const std::string& name);
    /// Throws InputError, as finish() does.
    void add(const std::string& name, const std::string& text);
    [[nodiscard]] std::vector<net::PoolLogin> finish(bool need_users = true) &&;

private:
    struct Login {
        net::Endpoint url;
        std::optional<std::string> user, password;
    };
    Login first_;
    std::vector<Login> logins_;
};

}  // namespace gpuminer
