#include "net/node/url.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "host/block/text.hpp"
#include "host/errors.hpp"

namespace gpuminer::net {
namespace {

constexpr std::size_t kLongestUrl = 1024;

/// Of a URL that may hold a password nothing is repeated but what is known not to be part of it.
[[noreturn]] void refuse(const std::string& what) {
    throw InputError("expected a node's address such as http://user:password@127.0.0.1:8332, but " + what);
}

std::string percent_decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned value = 0;
        const char* digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
            decoded += static_cast<char>(value);
            i += 2;
        } else {
            decoded += text[i];
        }
    }
    return decoded;
}

bool consists_of(std::string_view text, bool (*is_good)(char)) {
    return std::all_of(text.begin(), text.end(), is_good);
}

std::uint16_t parse_port(std::string_view text) {
    // Where the host was forgotten ("http://user:password"), this is the password.
    if (!consists_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
        refuse("the port is no number; or is the host missing?");
    }
    unsigned port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || port < 1 || port > 65535) {
        refuse(fmt::format("the port is {}", quoted_text(text)));
    }
    return static_cast<std::uint16_t>(port);
}

void set_host_and_port(NodeUrl& url, std::string_view authority) {
    std::string_view rest;
    if (authority.starts_with('[')) {
        const auto end = authority.find(']');
        if (end == std::string_view::npos) refuse("a ']' is missing");
        url.host = authority.substr(1, end - 1);
        rest = authority.substr(end + 1);
    } else {
        const auto colon = authority.find(':');
        url.host = authority.substr(0, colon);
        if (colon != std::string_view::npos) rest = authority.substr(colon);
    }
    if (url.host.empty()) refuse("there is no host");
    for (const char c : url.host) {
        if (c <= ' ' || c >= 127 || c == '@' || c == '/') refuse(fmt::format("the host is {}", quoted_text(url.host)));
    }
    if (!rest.empty()) {
        if (rest[0] != ':') refuse("something other than a port follows the host");
        url.port = parse_port(rest.substr(1));
    }
}

}  // namespace

std::string NodeUrl::text() const {
    const char* const form = host.find(':') == std::string::npos ? "{}://{}:{}{}" : "{}://[{}]:{}{}";
    return fmt::format(fmt::runtime(form), tls ? "https" : "http", host, port, path == "/" ? "" : path);
}

NodeUrl parse_node_url(std::string_view text, std::uint16_t default_port) {
    if (text.size() > kLongestUrl) refuse(fmt::format("it has {} characters", text.size()));
    NodeUrl url;
    url.port = default_port;
    const auto scheme_end = text.find("://");
    const auto scheme = scheme_end == std::string_view::npos ? "http" : text.substr(0, scheme_end);
    if (scheme != "http" && scheme != "https") {
        // A password may have "://" in it, and this may be what comes before.
        if (!consists_of(scheme, [](char c) { return (c >= 'a' && c <= 'z') || c == '+'; })) {
            refuse("it begins with something else");
        }
        refuse(fmt::format("it begins with {}", quoted_text(scheme)));
    }
    url.tls = scheme == "https";
    if (scheme_end != std::string_view::npos) text.remove_prefix(scheme_end + 3);

    // A password may have '@' and '/' in it; so the last '@' is the one that counts.
    if (const auto at = text.rfind('@'); at != std::string_view::npos) {
        const std::string_view login = text.substr(0, at);
        const auto colon = login.find(':');
        url.user = percent_decoded(login.substr(0, colon));
        if (colon != std::string_view::npos) url.password = percent_decoded(login.substr(colon + 1));
        text.remove_prefix(at + 1);
    }
    const auto slash = text.find('/');
    if (slash != std::string_view::npos) url.path = text.substr(slash);
    for (const char c : url.path) {
        if (c <= ' ' || c >= 127) refuse("its path has characters that no path has");
    }
    set_host_and_port(url, text.substr(0, slash));
    return url;
}

}  // namespace gpuminer::net
