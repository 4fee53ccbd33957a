#include "net/pool/reconnect_policy.hpp"

#include <fmt/format.h>
#include <libpsl.h>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/transport/sockets.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

bool is_address(const std::string& host) {
    return host.find(':') != std::string::npos || !resolver_ipv4_bytes(host).empty();
}

Endpoint parse_place(const Endpoint& from, const std::string& host, std::uint16_t port) {
    Endpoint to = from;
    if (port != 0) to.port = port;
    if (host.empty()) return to;
    try {
        to.host = parse_pool_url(host_and_port(host, to.port)).host;  // checks its form
    } catch (const InputError&) {
        throw NetworkError(
            fmt::format("the pool asks to connect to {}, which is not a server's name", quoted_text(host, 80)));
    }
    return to;
}

}  // namespace

std::string domain_of(const std::string& host) {
    std::string name = ascii_lower(host);
    if (name.ends_with('.')) name.pop_back();
    if (is_address(name)) return name;
    const char* const domain = psl_registrable_domain(psl_builtin(), name.c_str());
    return domain != nullptr ? domain : name;
}

Endpoint redirected(const Endpoint& from, const std::string& host, std::uint16_t port) {
    Endpoint to = parse_place(from, host, port);
    to.text = canonical_url(to);
    if (to.authority) return to;  // which has to have signed the certificate there, too
    if (to.stratum_v2 && ascii_lower(to.host) != ascii_lower(from.host)) {
        throw NetworkError(fmt::format("the pool asks to connect to {}, and {} has no authority key to know it by",
                                       to.text, from.text));
    }
    if (domain_of(to.host) != domain_of(from.host)) {
        throw NetworkError(
            fmt::format("the pool asks to connect to {}, which is of another domain than {}", to.text, from.text));
    }
    return to;
}

}  // namespace gpuminer::net
