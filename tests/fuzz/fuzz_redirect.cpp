// Fuzzer of the places that client.reconnect names. A pool is followed within its own domain only, by rules of
// Mozilla's list that libpsl is asked about directly.
#include <cstdint>
#include <string>

#include <libpsl.h>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/pool/reconnect_policy.hpp"
#include "net/transport/url.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::net;
using fuzz::demand;

namespace {

std::string without_last_dot(std::string name) {
    if (name.ends_with('.')) name.pop_back();
    return name;
}

void check_domain(const std::string& host) {
    const std::string domain = domain_of(host);
    demand(domain_of(domain) == domain, "the domain of a domain is itself");
    demand(without_last_dot(ascii_lower(host)).ends_with(domain), "a name ends with its domain");
    const std::size_t dot = domain.find('.');
    if (domain.size() < without_last_dot(host).size() && dot != std::string::npos) {
        demand(psl_is_public_suffix(psl_builtin(), domain.c_str()) == 0, "a domain is no public suffix");
        demand(psl_is_public_suffix(psl_builtin(), domain.substr(dot + 1).c_str()) == 1,
               "what is above a domain is a public suffix");
    }
}

}  // namespace

/// Port, the pool's host, a newline, the host that it names.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const auto port = static_cast<std::uint16_t>(data[0] << 8 | data[1]);
    const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::size_t end = std::min(text.find('\n'), text.size());
    Endpoint from;
    from.host = text.substr(0, end);
    from.port = 3333;
    from.tls = port % 2 == 1;
    if (!host_flaw(from.host).empty()) return 0;
    from.text = canonical_url(from);
    check_domain(from.host);
    try {
        const Endpoint to = redirected(from, text.substr(std::min(end + 1, text.size())), port);
        demand(host_flaw(to.host).empty() && to.port == (port == 0 ? from.port : port),
               "a place has a host and a port");
        demand(to.tls == from.tls, "TLS stays TLS");
        demand(domain_of(to.host) == domain_of(from.host), "a pool is followed within its domain only");
        demand(to.text == canonical_url(to), "a place is written as it is");
        check_domain(to.host);
    } catch (const NetworkError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
    return 0;
}
