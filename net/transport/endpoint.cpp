#include "net/transport/endpoint.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "host/errors.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kShown = 80;  // of what the user wrote, in messages

// A pool's URL for messages: without the user and the password that somebody may have put before the host.
std::string without_login(const std::string& text) {
    const std::size_t at = text.rfind('@');
    if (at == std::string::npos) return text;
    const std::size_t scheme = text.find("://");
    const bool plain = scheme < at && std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(scheme),
                                                  [](char c) { return c != ':' && c != '@'; });
    return (plain ? text.substr(0, scheme + 3) : "") + text.substr(at + 1);
}

// Host and port of a URL that has to have both and nothing else; `shown`: what messages show of it.
template <typename Url>
void take_place(Url& url, const UrlParts& parts, const std::string& shown, std::string_view expected) {
    const auto malformed = [&](std::string_view why) {
        return InputError(fmt::format("expected {}, got {}: {}", expected, quoted_text(shown, kShown), why));
    };
    if (!parts.flaw.empty()) throw malformed(parts.flaw);
    if (!parts.rest.empty() && parts.rest != "/") throw malformed("such a URL has no path");
    if (!parts.port) throw malformed("there is no port");
    if (const std::string_view flaw = host_flaw(parts.host); !flaw.empty()) throw malformed(flaw);
    const auto port = parse_port(*parts.port);
    if (!port) {
        throw InputError(fmt::format("expected a port from 1 to 65535 at the end of {}, got {}",
                                     quoted_text(shown, kShown), quoted_text(*parts.port)));
    }
    url.host = parts.host;
    url.port = *port;
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

std::string canonical_url(const Endpoint& pool) {
    return fmt::format("{}{}", pool.tls ? "stratum+ssl://" : "stratum+tcp://", host_and_port(pool.host, pool.port));
}

Endpoint parse_pool_url(const std::string& text) {
    constexpr std::string_view kExpected = "a pool as stratum+tcp://HOST:PORT";
    const UrlParts parts = split_url(text);
    const std::string shown = without_login(text);
    Endpoint endpoint;
    endpoint.text = text;
    endpoint.tls = uses_tls(parts.scheme, shown);
    if (parts.login) {
        throw InputError(fmt::format("expected {}, got {}: user and password are options of their own", kExpected,
                                     quoted_text(shown, kShown)));
    }
    take_place(endpoint, parts, shown, kExpected);
    return endpoint;
}

ProxyUrl parse_proxy_url(const std::string& text) {
    const UrlParts parts = split_url(text);
    ProxyUrl url;
    if (parts.scheme.empty() || parts.scheme == "socks5" || parts.scheme == "socks5h") {
        url.kind = ProxyKind::kSocks5;
    } else if (parts.scheme == "http") {
        url.kind = ProxyKind::kHttp;
    } else {
        throw InputError(fmt::format("expected a proxy as socks5://HOST:PORT or http://HOST:PORT, got the scheme {}",
                                     quoted_text(parts.scheme)));
    }
    if (parts.login) {
        Login login = parse_login(*parts.login);
        // What a SOCKS5 proxy can take (RFC 1929).
        if (login.user.empty() || login.user.size() > 255 || login.password.size() > 255) {
            throw InputError(
                fmt::format("expected a user and a password of 1 to 255 bytes each for the proxy, got {} and {}",
                            login.user.size(), login.password.size()));
        }
        url.user = std::move(login.user);
        url.password = std::move(login.password);
    }
    // No message shows the text as a whole: it may hold a password.
    const std::string shown = without_login(text);
    take_place(url, parts, shown, "a proxy as socks5://[USER:PASSWORD@]HOST:PORT");
    return url;
}

}  // namespace gpuminer::net
