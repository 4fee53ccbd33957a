#include "net/transport/listen_address.hpp"

#include <utility>  // before Boost: Asio 1.74 uses std::exchange without it

#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <optional>
#include <string_view>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/transport/sockets.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

constexpr std::string_view kUnix = "unix:";

std::optional<std::uint16_t> port_or_any(std::string_view text) {
    return text == "0" ? std::optional<std::uint16_t>(0) : parse_port(text);
}

}  // namespace

bool ListenAddress::is_local() const {
    boost::system::error_code error;
    return is_unix() || boost::asio::ip::make_address(host, error).is_loopback();
}

ListenAddress parse_listen_address(const std::string& option, const std::string& text) {
    const bool has_unix = longest_socket_path() > 0;
    const auto fail = [&] {
        throw InputError(fmt::format("{}: expected PORT, ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080{}, got {}",
                                     option, has_unix ? ", or unix:/PATH" : "", quoted_text(text, 100)));
    };
    if (text.starts_with(kUnix) && !has_unix)
        throw InputError(
            fmt::format("{}: expected PORT or ADDRESS:PORT, as there are no Unix sockets on this system, got {}",
                        option, quoted_text(text, 100)));
    if (text.starts_with(kUnix)) {
        ListenAddress address{.path = text.substr(kUnix.size())};
        if (address.path.empty() || address.path.front() != '/') fail();
        if (address.path.size() > longest_socket_path())
            throw InputError(fmt::format("{}: expected a path of at most {} bytes for a Unix socket, got {}", option,
                                         longest_socket_path(), address.path.size()));
        return address;
    }
    ListenAddress address{.host = "127.0.0.1"};
    if (const auto port = port_or_any(text)) {
        address.port = *port;
        return address;
    }
    const UrlParts parts = split_url(text);
    const std::optional<std::uint16_t> port = parts.port ? port_or_any(*parts.port) : std::nullopt;
    if (!parts.flaw.empty() || !parts.scheme.empty() || parts.login || !parts.rest.empty() || !port) fail();
    address.port = *port;
    if (ascii_lower(parts.host) == "localhost") return address;
    boost::system::error_code error;
    (void)boost::asio::ip::make_address(std::string(parts.host), error);
    if (error) fail();
    address.host = parts.host;
    return address;
}

std::string parse_host_name(const std::string& option, const std::string& text) {
    const auto fail = [&](const char* expected) {
        throw InputError(fmt::format("{}: expected {}, got {}", option, expected, quoted_text(text, 100)));
    };
    const bool in_brackets = text.starts_with('[') && text.ends_with(']');
    const std::string bare = in_brackets ? text.substr(1, text.size() - 2) : text;
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address_v6(bare, error);
    if (!error) return without_zone(address.to_string());
    const UrlParts parts = split_url(text);
    if (parts.flaw.empty() && parts.scheme.empty() && !parts.login && parts.port)
        fail("a name or an address without a port");
    if (!host_flaw(text).empty() || text.find(':') != std::string::npos) fail("a name or an address");
    return text;
}

std::string without_zone(const std::string& address) { return address.substr(0, address.find('%')); }

}  // namespace gpuminer::net
