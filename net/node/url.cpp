#include "net/node/url.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/transport/url.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kLongestUrl = 1024;

/// Of a URL that may hold a password nothing is repeated but what is known not to be part of it.
[[noreturn]] void refuse(std::string_view what) {
    throw InputError(
        fmt::format("expected a node's address such as http://user:password@127.0.0.1:8332, but {}", what));
}

bool consists_of(std::string_view text, bool (*is_good)(char)) {
    return std::all_of(text.begin(), text.end(), is_good);
}

void check_scheme(const std::string& scheme) {
    if (scheme.empty() || scheme == "http" || scheme == "https") return;
    // A password may have "://" in it, and this may be what comes before.
    if (!consists_of(scheme, [](char c) { return (c >= 'a' && c <= 'z') || c == '+'; })) {
        refuse("it begins with something else");
    }
    refuse(fmt::format("it begins with {}", quoted_text(scheme)));
}

/// Where the host was forgotten ("http://user:password"), the text is the password.
std::uint16_t checked_port(std::string_view text) {
    const auto port = parse_port(text);
    if (!port) refuse("the port is not a number from 1 to 65535; or is the host missing?");
    return *port;
}

}  // namespace

std::string NodeUrl::text() const {
    return fmt::format("{}://{}{}", tls ? "https" : "http", host_and_port(host, port), path == "/" ? "" : path);
}

NodeUrl parse_node_url(std::string_view text, std::uint16_t default_port) {
    if (text.size() > kLongestUrl) refuse(fmt::format("it has {} characters", text.size()));
    const UrlParts parts = split_url(text);
    check_scheme(parts.scheme);
    if (!parts.flaw.empty()) refuse(parts.flaw);
    if (const std::string_view flaw = host_flaw(parts.host); !flaw.empty()) refuse(flaw);
    NodeUrl url;
    url.tls = parts.scheme == "https";
    url.host = parts.host;
    url.port = parts.port ? checked_port(*parts.port) : default_port;
    if (parts.login) {
        Login login = parse_login(*parts.login);
        url.user = std::move(login.user);
        url.password = std::move(login.password);
    }
    if (!parts.rest.empty()) url.path = parts.rest;
    const bool path = url.path.starts_with('/') && consists_of(url.path, [](char c) { return c > ' ' && c < 127; });
    if (!path) refuse("its path has invalid characters");
    return url;
}

}  // namespace gpuminer::net
