#include "web/access.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "host/text/text.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::web {
namespace {

constexpr std::string_view kBearer = "bearer ";
constexpr const char* kCookiePrefix = "gpuminer_session_";
constexpr std::size_t kCookieDigits = 8;  // of the token's digest

/// HMAC-SHA256 of a text, under the token, in hex; empty without a token. Who has the cookie cannot tell the token.
std::string digest_of(const std::string& token, std::string_view text) {
    if (token.empty()) return "";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    HMAC(EVP_sha256(), token.data(), static_cast<int>(token.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
    return to_hex(std::span(digest).first(size));
}

/// "name:8080" → "name", "[::1]:8080" → "::1"; empty: it is no host.
std::string host_of(const std::string& field) {
    const net::UrlParts parts = net::split_url(field);
    const bool plain = parts.flaw.empty() && parts.scheme.empty() && !parts.login && parts.rest.empty();
    if (!plain || !net::host_flaw(parts.host).empty() || (parts.port && !net::parse_port(*parts.port))) return "";
    std::string host = ascii_lower(parts.host);
    if (host.ends_with('.')) host.pop_back();  // the same name, fully qualified
    return host;
}

/// Whether one of the cookies (RFC 6265, section 4.2.1) is this. There may be several of a name, of other paths or
/// domains.
bool has_cookie(std::string_view cookies, std::string_view name, std::string_view value) {
    while (!cookies.empty()) {
        const std::size_t end = std::min(cookies.find(';'), cookies.size());
        const std::string_view pair = trimmed(cookies.substr(0, end));
        if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=' &&
            equal_in_constant_time(pair.substr(name.size() + 1), value))
            return true;
        cookies.remove_prefix(std::min(end + 1, cookies.size()));
    }
    return false;
}

}  // namespace

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Access::Access(AccessRules rules)
    : rules_(std::move(rules)),
      cookie_name_(kCookiePrefix + digest_of(rules_.token, "gpuminer cookie 1").substr(0, kCookieDigits)),
      session_(digest_of(rules_.token, "gpuminer session 1")) {}

bool Access::host_is_ours(const net::ServerRequest& request) const {
    const std::string host = host_of(request.host);
    const auto is_named = [&](const std::string& name) { return ascii_lower(name) == host; };
    const bool local = net::is_local_host(host) && !host.ends_with(".localhost");
    const bool ours =
        !host.empty() && (local || host == request.local_address || std::ranges::any_of(rules_.extra_hosts, is_named));
    if (!ours || request.origin.empty()) return ours;
    const std::string origin = ascii_lower(request.origin), at_host = "://" + ascii_lower(request.host);
    return origin == "http" + at_host || origin == "https" + at_host;
}

bool Access::knows_token(const net::ServerRequest& request) const {
    if (rules_.token.empty()) return false;
    if (ascii_lower(request.authorization.substr(0, kBearer.size())) == kBearer)
        return equal_in_constant_time(trimmed(std::string_view(request.authorization).substr(kBearer.size())),
                                      rules_.token);
    return request.authorization.empty() && has_cookie(request.cookie, cookie_name_, session_);
}

bool Access::may_read(const net::ServerRequest& request) const {
    const bool is_unix = request.local_address.empty();
    const bool may_be_proxied = !is_unix && (request.is_forwarded || !rules_.extra_hosts.empty());
    return (rules_.open_reads && !may_be_proxied) || knows_token(request);
}

bool Access::is_token(const std::string& text) const {
    return !rules_.token.empty() && equal_in_constant_time(text, rules_.token);
}

std::string Access::cookie() const {
    return cookie_name_ + "=" + session_ + "; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict";
}

}  // namespace gpuminer::web
