// URLs taken apart (RFC 3986, section 3): scheme, login, host, port, path; percent decoding, logins and port numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuminer::net {

/// Views into the text that was taken apart. A part that is missing is empty.
struct UrlParts {
    std::string scheme;                     ///< in lower case
    std::optional<std::string_view> login;  ///< before the last '@': a password may have '@', '/' and "://" in it
    std::string_view host;                  ///< without the brackets of an IPv6 address
    std::optional<std::string_view> port;   ///< behind the host's ':'
    std::string_view rest;                  ///< from the first of "/?#" behind the host on
    std::string_view flaw;                  ///< why host and port cannot be told apart; empty: they can
};
[[nodiscard]] UrlParts split_url(std::string_view text);

/// Why this is no host's name or address, an IPv6 address where it has a ':' in it; empty: it is one by its form.
[[nodiscard]] std::string_view host_flaw(std::string_view host);

/// Whether the name or address means this machine, so that what is sent there stays on it (RFC 6761, section 6.3).
[[nodiscard]] bool is_local_host(std::string_view host);

/// Decimal digits, 1 to 65535; empty: they are something else.
[[nodiscard]] std::optional<std::uint16_t> parse_port(std::string_view text);

struct Login {
    std::string user, password;
};
/// "user:password", each percent-decoded. The password is what follows the first ':'; without one it is empty.
[[nodiscard]] Login parse_login(std::string_view text);
/// HTTP's Basic authentication (RFC 7617): "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==": the value of Authorization or
/// Proxy-Authorization.
[[nodiscard]] std::string basic_authorization(const std::string& user, const std::string& password);

/// "%40" → "@" (RFC 3986, section 2.1); a percent sign that two hex digits do not follow stands for itself.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// "host:port", with brackets around an IPv6 address.
[[nodiscard]] std::string host_and_port(std::string_view host, std::uint16_t port);

}  // namespace gpuminer::net
