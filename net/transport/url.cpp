#include "net/transport/url.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "host/text/text.hpp"
#include "net/transport/sockets.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kLongestHost = 253;  // RFC 1035

bool is_host_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
           c == '_';
}

// The scope of a link-local address ("%eth0") belongs to it.
bool is_ipv6_character(char c) { return is_host_character(c) || c == ':' || c == '%'; }

// "[address]" or "[address]:port".
void split_bracketed(UrlParts& parts, std::string_view text) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) {
        parts.flaw = "the bracket of the IPv6 address is not closed";
        return;
    }
    parts.host = text.substr(1, end - 1);
    const std::string_view behind = text.substr(end + 1);
    if (behind.starts_with(':')) {
        parts.port = behind.substr(1);
    } else if (!behind.empty()) {
        parts.flaw = "there is something other than a port after the bracket";
    }
    if (parts.host.find(':') == std::string_view::npos) parts.flaw = "brackets are for IPv6 addresses";
}

}  // namespace

UrlParts split_url(std::string_view text) {
    UrlParts parts;
    if (const std::size_t end = text.find("://"); end != std::string_view::npos) {
        parts.scheme = ascii_lower(text.substr(0, end));
        text.remove_prefix(end + 3);
    }
    if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
        parts.login = text.substr(0, at);
        text.remove_prefix(at + 1);
    }
    const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
    parts.rest = text.substr(end);
    text = text.substr(0, end);
    if (text.starts_with('[')) {
        split_bracketed(parts, text);
        return parts;
    }
    const std::size_t colon = text.find(':');
    parts.host = text.substr(0, colon);
    if (colon == std::string_view::npos) return parts;
    parts.port = text.substr(colon + 1);
    if (parts.port->find(':') != std::string_view::npos) parts.flaw = "an IPv6 address needs brackets";
    return parts;
}

std::string_view host_flaw(std::string_view host) {
    if (host.empty()) return "there is no host";
    if (host.size() > kLongestHost) return "the host's name is too long";
    const bool ipv6 = host.find(':') != std::string_view::npos;
    if (!std::all_of(host.begin(), host.end(), ipv6 ? is_ipv6_character : is_host_character)) {
        return "the host's name has an invalid character";
    }
    if (host.starts_with('.') || host.find("..") != std::string_view::npos) return "the host's name has an empty part";
    return "";
}

bool is_local_host(std::string_view host) {
    std::string name = ascii_lower(host);
    if (name.ends_with('.')) name.pop_back();
    if (name == "localhost" || name.ends_with(".localhost")) return true;
    if (const std::string v6 = ipv6_bytes(name); !v6.empty()) return v6 == std::string(15, '\0') + '\1';
    return resolver_ipv4_bytes(name).starts_with('\x7f');
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, port);
    if (error != std::errc{} || end != last || port == 0) return std::nullopt;
    return port;
}

Login parse_login(std::string_view text) {
    const std::size_t colon = text.find(':');
    Login login;
    login.user = percent_decoded(text.substr(0, colon));
    if (colon != std::string_view::npos) login.password = percent_decoded(text.substr(colon + 1));
    return login;
}

std::string percent_decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned value = 0;
        const char* const digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
            decoded += static_cast<char>(value);
            i += 2;
        } else {
            decoded += text[i];
        }
    }
    return decoded;
}

std::string host_and_port(std::string_view host, std::uint16_t port) {
    if (host.find(':') == std::string_view::npos) return fmt::format("{}:{}", host, port);
    return fmt::format("[{}]:{}", host, port);
}

}  // namespace gpuminer::net
