#include "net/transport/endpoint.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kShown = 80;  // of what the user wrote, in messages
constexpr std::string_view kStratumV2 = "stratum2+tcp";
constexpr std::string_view kStratumV2Pool = "a pool as stratum2+tcp://HOST:PORT/AUTHORITY_KEY";

bool is_scheme(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+'; });
}

// What messages show of a URL: the rest may be a password or hold one. Where the host was forgotten, what stands in the
// port's place is one ("socks5://user:password"), and where the password has an '@' in it, what stands in the host's.
std::string shown_of(const UrlParts& parts) {
    const auto port = parts.port ? parse_port(*parts.port) : std::nullopt;
    std::string shown = parts.scheme.empty() || !is_scheme(parts.scheme) ? "" : parts.scheme + "://";
    if (parts.login && !port) return shown;
    shown += port ? host_and_port(parts.host, *port) : std::string(parts.host);
    return shown;
}

// ", got 'host:1'"; nothing where nothing may be shown.
std::string got(const std::string& shown) {
    return shown.empty() ? "" : fmt::format(", got {}", quoted_text(shown, kShown));
}

// Host and port of a URL that has to have both and nothing else.
template <typename Url>
void take_place(Url& url, const UrlParts& parts, std::string_view expected) {
    const auto malformed = [&](std::string_view why) {
        return InputError(fmt::format("expected {}{}: {}", expected, got(shown_of(parts)), why));
    };
    if (!parts.flaw.empty()) throw malformed(parts.flaw);
    if (!parts.rest.empty() && parts.rest != "/") throw malformed("such a URL ends with its port");
    if (!parts.port) throw malformed("there is no port");
    if (const std::string_view flaw = host_flaw(parts.host); !flaw.empty()) throw malformed(flaw);
    const auto port = parse_port(*parts.port);
    if (!port) throw malformed("the text after the last ':' is not a port from 1 to 65535");
    url.host = parts.host;
    url.port = *port;
}

// Whether the pool is reached through TLS; the schemes are those in use among miners.
bool uses_tls(const UrlParts& parts) {
    const std::string& scheme = parts.scheme;
    if (scheme == kStratumV2) return false;  // it has an encryption of its own
    if (scheme.empty() || scheme == "stratum+tcp" || scheme == "tcp" || scheme == "stratum") return false;
    if (scheme == "stratum+ssl" || scheme == "stratum+tls" || scheme == "stratum+tcps" || scheme == "ssl" ||
        scheme == "stratums" || scheme == "tls" || scheme == "tcps") {
        return true;
    }
    const std::string shown = shown_of(parts);
    if (scheme == "http" || scheme == "https") {
        throw InputError(fmt::format(
            "{} means getwork, which pools no longer offer: use the pool's stratum+tcp:// URL, or `gpuminer solo "
            "--node {}` if this is your own node",
            quoted_text(shown, kShown), quoted_text(shown, kShown)));
    }
    if (scheme.starts_with("stratum2")) {
        throw InputError(fmt::format("expected a URL with stratum2+tcp://, which is encrypted always{}", got(shown)));
    }
    throw InputError(
        fmt::format("expected a URL with stratum+tcp://, stratum+ssl:// or stratum2+tcp://{}", got(shown)));
}

// Why a pool's URL has something behind its port that it cannot have; empty: it has not. What may be a password there
// (behind "?" or "=") is not shown.
std::string rest_flaw(std::string_view rest) {
    const std::string_view path = rest.substr(0, rest.find_first_of("?#"));
    const auto flaw = [](std::string_view what, std::string_view part, std::size_t shown) {
        return fmt::format("such a URL has no {}, and this one has {}", what,
                           quoted_text(part, std::min(shown, kShown)));
    };
    constexpr std::size_t kKeyDigits = 40;  // an authority key has some more
    if (path.size() > kKeyDigits)
        return flaw("path", path, kShown) + "; that of a Stratum V2 pool is a stratum2+tcp:// URL";
    if (!path.empty() && path != "/") return flaw("path", path, kShown);
    rest.remove_prefix(path.size());
    if (rest.starts_with('?')) {
        const std::size_t end = rest.find('=');
        return flaw("query", rest, end == std::string_view::npos ? 1 : end + 1);
    }
    // For miners that ask for mining.set_extranonce on demand; this one always does.
    if (rest.empty() || rest == "#xnsub") return "";
    return flaw("fragment but #xnsub", rest, rest.find_first_of("?=&"));
}

// The authority key behind the port of a Stratum V2 pool's URL.
std::optional<AuthorityKey> authority_of(const UrlParts& parts) {
    std::string_view key = parts.rest;
    if (key.starts_with('/')) key.remove_prefix(1);
    if (key.empty()) return std::nullopt;
    try {
        return parse_authority_key(key);
    } catch (const InputError& error) {
        throw InputError(
            fmt::format("expected {}{}: the authority key: {}", kStratumV2Pool, got(shown_of(parts)), error.what()));
    }
}

}  // namespace

std::string canonical_url(const Endpoint& pool) {
    const std::string_view scheme = pool.stratum_v2 ? kStratumV2 : pool.tls ? "stratum+ssl" : "stratum+tcp";
    return fmt::format("{}://{}", scheme, host_and_port(pool.host, pool.port));
}

Endpoint parse_pool_url(const std::string& text) {
    UrlParts parts = split_url(text);
    Endpoint endpoint;
    endpoint.text = text;
    endpoint.tls = uses_tls(parts);
    endpoint.stratum_v2 = parts.scheme == kStratumV2;
    const std::string_view expected = endpoint.stratum_v2 ? kStratumV2Pool : "a pool as stratum+tcp://HOST:PORT";
    if (parts.login) {
        throw InputError(
            fmt::format("expected {}{}: user and password have options of their own", expected, got(shown_of(parts))));
    }
    if (endpoint.stratum_v2 && parts.flaw.empty()) {
        endpoint.authority = authority_of(parts);
    } else if (const std::string flaw = parts.flaw.empty() ? rest_flaw(parts.rest) : ""; !flaw.empty()) {
        throw InputError(fmt::format("expected {}{}: {}", expected, got(shown_of(parts)), flaw));
    }
    const std::size_t key_size = endpoint.stratum_v2 ? parts.rest.size() : 0;
    parts.rest = {};
    take_place(endpoint, parts, expected);
    endpoint.text.resize(text.size() - key_size);
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
        throw InputError(
            fmt::format("expected a proxy as socks5://HOST:PORT or http://HOST:PORT{}", got(shown_of(parts))));
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
    take_place(url, parts, "a proxy as socks5://[USER:PASSWORD@]HOST:PORT");
    return url;
}

}  // namespace gpuminer::net
