// Fuzzer of the URLs of nodes, pools and proxies. Each is understood, and then the same when it is written again, or
// refused with a plain sentence without the password.
#include <cstdint>
#include <string>
#include <string_view>

#include "host/errors.hpp"
#include "net/node/url.hpp"
#include "net/transport/endpoint.hpp"
#include "net/transport/url.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

/// What stands between the scheme and the last '@', from the first ':' on.
std::string_view password_in(std::string_view text) {
    const std::size_t at = text.rfind('@');
    if (at == std::string_view::npos) return "";
    text = text.substr(0, at);
    if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos) text.remove_prefix(scheme + 3);
    const std::size_t colon = text.find(':');
    return colon == std::string_view::npos ? "" : text.substr(colon + 1);
}

/// Runs `parse`, which throws InputError for what is no such URL.
template <typename Parse>
void check(const std::string& text, const Parse& parse) {
    try {
        parse();
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
        fuzz::demand_unseen(password_in(text), text, error.what());
    }
}

void check_place(const std::string& host, std::uint16_t port) {
    demand(port != 0, "a port is not zero");
    demand(host_flaw(host).empty(), "a host's name has a host's form");
}

void check_node(const std::string& text) {
    const NodeUrl url = parse_node_url(text, 8332);
    check_place(url.host, url.port);
    if (text.size() < 500) fuzz::demand_plain_sentence(url.text());  // as long as its path
    const NodeUrl again = parse_node_url(url.text(), 1);
    demand(again.tls == url.tls && again.host == url.host && again.port == url.port && again.path == url.path,
           "a node's URL is the same when it is written again");
    demand(again.user.empty() && again.password.empty(), "a node's URL is written without its login");
}

void check_pool(const std::string& text) {
    const Endpoint pool = parse_pool_url(text);
    check_place(pool.host, pool.port);
    const Endpoint again = parse_pool_url(canonical_url(pool));
    demand(again.tls == pool.tls && again.host == pool.host && again.port == pool.port,
           "a pool's URL is the same when it is written again");
}

void check_proxy(const std::string& text) {
    const ProxyUrl proxy = parse_proxy_url(text);
    check_place(proxy.host, proxy.port);
    demand(proxy.user.size() <= 255 && proxy.password.size() <= 255, "a proxy's login is one that SOCKS5 can take");
    demand(proxy.password.empty() || !proxy.user.empty(), "a password has a user");
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    check(text, [&] { check_node(text); });
    check(text, [&] { check_pool(text); });
    check(text, [&] { check_proxy(text); });
    return 0;
}
