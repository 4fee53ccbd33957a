#include "cli/options/login_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "cli/options/option_values.hpp"
#include "cli/options/secrets.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/transport/sockets.hpp"

namespace gpuminer {
namespace {

using net::PoolLogin;

/// What is the same for the same host: an address is '[' and its bytes, which no name begins with.
std::string plain_host(const PoolLogin& pool) {
    std::string host = ascii_lower(pool.url.host);
    if (host.ends_with('.')) host.pop_back();
    for (const std::string& address : {net::ipv4_bytes(host), net::ipv6_bytes(host)}) {
        if (!address.empty()) return '[' + address;  // however it is written
    }
    return host;
}

/// A server whose key is known is not to be talked to without it.
void check_authorities(const std::vector<PoolLogin>& pools) {
    for (const PoolLogin& open : pools) {
        if (!open.url.stratum_v2 || open.url.authority) continue;
        for (const PoolLogin& pool : pools) {
            if (!pool.url.authority || plain_host(pool) != plain_host(open)) continue;
            throw InputError(fmt::format("-o: {} has no authority key, and another -o has one for the same host",
                                         quoted_text(open.url.text, 100)));
        }
    }
}

}  // namespace

bool LoginList::takes(const std::string& name) {
    constexpr const char* kNames[] = {"--url", "--user", "--pass", "--pass-file", "--userpass"};
    return std::ranges::find(kNames, name) != std::end(kNames);
}

void LoginList::add(const std::string& name, const std::string& text) {
    if (name == "--url") {
        const std::string place = text.substr(0, text.find_first_of("?#"));  // a password may stand behind it
        if (place.find(',') != std::string::npos && place.find('@') == std::string::npos)
            throw InputError(
                fmt::format("-o: expected one pool, got {}; give each its own -o", quoted_text(place, 100)));
        logins_.push_back({of_option("-o", text, net::parse_pool_url), std::nullopt, std::nullopt});
        return;
    }
    Login& login = logins_.empty() ? first_ : logins_.back();
    if (name == "--user") {
        login.user = text;
    } else if (name == "--pass") {
        login.password = text;
    } else if (name == "--pass-file") {
        login.password = read_password(text);
    } else {
        const std::size_t colon = text.find(':');
        if (colon == std::string::npos)
            throw InputError("-O: expected USER:PASSWORD, got no colon");  // not shown: it may be a password
        login.user = text.substr(0, colon);
        login.password = text.substr(colon + 1);
    }
}

std::vector<PoolLogin> LoginList::finish(bool need_users) && {
    if (logins_.empty()) throw InputError("no pool given: -o stratum+tcp://HOST:PORT");
    std::vector<PoolLogin> pools;
    Login before = first_;
    for (Login& login : logins_) {
        if (!login.password && (!login.user || pools.empty())) login.password = before.password;
        if (!login.user) login.user = before.user;
        if (need_users && login.user.value_or("").empty())
            throw InputError(fmt::format("no user given for the pool {}: -u NAME", quoted_text(login.url.text, 100)));
        pools.push_back({login.url, login.user.value_or(""), login.password.value_or("x")});
        before = login;
    }
    check_authorities(pools);
    return pools;
}

}  // namespace gpuminer
