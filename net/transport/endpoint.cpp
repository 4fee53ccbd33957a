#include "net/transport/endpoint.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "host/errors.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kShown = 80;         // of what the user wrote, in messages
constexpr std::size_t kLongestHost = 253;  // RFC 1035

std::string lower_case(std::string_view text) {
    std::string lower{text};
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

struct Parts {
    std::string scheme;     // lower case; empty: none
    std::string_view rest;  // behind "://", without a final slash
};

Parts split_scheme(std::string_view text) {
    Parts parts;
    const std::size_t end = text.find("://");
    if (end != std::string_view::npos) {
        parts.scheme = lower_case(text.substr(0, end));
        text.remove_prefix(end + 3);
    }
    if (text.ends_with('/')) text.remove_suffix(1);
    parts.rest = text;
    return parts;
}

bool is_host_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
           c == '_';
}

// The scope of a link-local address ("%eth0") belongs to it.
bool is_ipv6_character(char c) { return is_host_character(c) || c == ':' || c == '%'; }

std::uint16_t parse_port(std::string_view text, const std::string& whole) {
    std::uint32_t port = 0;
    const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits && !text.empty() && text.size() <= 5) {
        for (const char c : text) port = 10 * port + static_cast<std::uint32_t>(c - '0');
    }
    if (port < 1 || port > 65535) {
        throw InputError(fmt::format("expected a port from 1 to 65535 at the end of {}, got {}",
                                     quoted_text(whole, kShown), quoted_text(text)));
    }
    return static_cast<std::uint16_t>(port);
}

// A pool's URL for messages: without the user and the password that somebody may have put before the host.
std::string without_login(const std::string& text) {
    const std::size_t at = text.rfind('@');
    if (at == std::string::npos) return text;
    const std::size_t scheme = text.find("://");
    const bool plain = scheme < at && std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(scheme),
                                                  [](char c) { return c != ':' && c != '@'; });
    return (plain ? text.substr(0, scheme + 3) : "") + text.substr(at + 1);
}

struct HostPort {
    std::string host;
    std::uint16_t port = 0;
};

HostPort parse_host_port(std::string_view text, const std::string& whole, std::string_view example) {
    const auto malformed = [&](std::string_view why) {
        return InputError(fmt::format("expected {}, got {}: {}", example, quoted_text(whole, kShown), why));
    };
    if (text.find('@') != std::string_view::npos) throw malformed("user and password are options of their own");
    std::string_view host;
    std::string_view port;
    const bool bracketed = text.starts_with('[');
    if (bracketed) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) throw malformed("the bracket of the IPv6 address is not closed");
        host = text.substr(1, end - 1);
        port = text.substr(end + 1);
        if (!port.starts_with(':')) throw malformed("there is no port");
        port.remove_prefix(1);
        if (host.find(':') == std::string_view::npos) throw malformed("brackets are for IPv6 addresses");
    } else {
        const std::size_t colon = text.find(':');
        if (text.find_first_of("/?#") != std::string_view::npos) throw malformed("a pool's URL has no path");
        if (colon == std::string_view::npos) throw malformed("there is no port");
        if (text.find(':', colon + 1) != std::string_view::npos) throw malformed("an IPv6 address needs brackets");
        host = text.substr(0, colon);
        port = text.substr(colon + 1);
    }
    if (host.empty()) throw malformed("there is no host");
    if (host.size() > kLongestHost) throw malformed("the host's name is too long");
    if (!std::all_of(host.begin(), host.end(), bracketed ? is_ipv6_character : is_host_character)) {
        throw malformed("the host's name has a character that no such name has");
    }
    return {std::string(host), parse_port(port, whole)};
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// "%40" → "@" (RFC 3986); a percent sign that two hex digits do not follow stands for itself.
std::string percent_decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape =
            text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
        if (escape) {
            decoded += static_cast<char>(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]));
            i += 2;
        } else {
            decoded += text[i];
        }
    }
    return decoded;
}

// Whether the pool is reached through TLS; the schemes are those in use among miners.
bool uses_tls(const std::string& scheme, const std::string& whole) {
    if (scheme.empty() || scheme == "stratum+tcp" || scheme == "tcp" || scheme == "stratum") return false;
    if (scheme == "stratum+ssl" || scheme == "stratum+tls" || scheme == "stratum+tcps" || scheme == "ssl" ||
        scheme == "tls" || scheme == "tcps") {
        return true;
    }
    if (scheme == "http" || scheme == "https") {
        throw InputError(fmt::format(
            "{} means getwork, which pools no longer offer: use the pool's stratum+tcp:// URL, or `gpuminer solo "
            "--node {}` if this is your own node",
            quoted_text(whole, kShown), quoted_text(whole, kShown)));
    }
    if (scheme.starts_with("stratum2")) {
        throw InputError(fmt::format(
            "{} is a Stratum V2 server, and this program speaks V1: run a translator (the Stratum V2 Reference "
            "Implementation has one) beside it, and connect to that",
            quoted_text(whole, kShown)));
    }
    throw InputError(
        fmt::format("expected a URL with stratum+tcp:// or stratum+ssl://, got {}", quoted_text(whole, kShown)));
}

}  // namespace

Endpoint parse_pool_url(const std::string& text) {
    const Parts parts = split_scheme(text);
    Endpoint url;
    url.text = text;
    const std::string shown = without_login(text);
    url.tls = uses_tls(parts.scheme, shown);
    HostPort where = parse_host_port(parts.rest, shown, "a pool as stratum+tcp://HOST:PORT");
    url.host = std::move(where.host);
    url.port = where.port;
    return url;
}

ProxyUrl parse_proxy_url(const std::string& text) {
    const Parts parts = split_scheme(text);
    ProxyUrl url;
    if (parts.scheme.empty() || parts.scheme == "socks5" || parts.scheme == "socks5h") {
        url.kind = ProxyKind::kSocks5;
    } else if (parts.scheme == "http") {
        url.kind = ProxyKind::kHttp;
    } else {
        throw InputError(fmt::format("expected a proxy as socks5://HOST:PORT or http://HOST:PORT, got the scheme {}",
                                     quoted_text(parts.scheme)));
    }
    // From here on no message shows the text as a whole: it may hold a password.
    std::string_view where = parts.rest;
    const std::size_t at = where.rfind('@');
    if (at != std::string_view::npos) {
        const std::string_view login = where.substr(0, at);
        where.remove_prefix(at + 1);
        const std::size_t colon = login.find(':');
        url.user = percent_decoded(login.substr(0, colon));
        if (colon != std::string_view::npos) url.password = percent_decoded(login.substr(colon + 1));
        // What a SOCKS5 proxy can take (RFC 1929).
        if (url.user.empty() || url.user.size() > 255 || url.password.size() > 255) {
            throw InputError("expected a user and a password of 1 to 255 bytes each for the proxy");
        }
    }
    HostPort place = parse_host_port(where, std::string(where), "a proxy as socks5://[USER:PASSWORD@]HOST:PORT");
    url.host = std::move(place.host);
    url.port = place.port;
    return url;
}

std::string host_and_port(const std::string& host, std::uint16_t port) {
    if (host.find(':') == std::string::npos) return fmt::format("{}:{}", host, port);
    return fmt::format("[{}]:{}", host, port);
}

}  // namespace gpuminer::net
