#include "cli/options/secrets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <iterator>
#include <optional>
#include <string_view>

#include "host/errors.hpp"
#include "host/files/file_text.hpp"
#include "host/files/own_file.hpp"
#include "host/text/text.hpp"
#include "net/transport/url.hpp"

namespace gpuminer {
namespace {

constexpr std::size_t kLongestPassword = 1024;  // bytes
constexpr std::size_t kShownOfPath = 100;
constexpr const char* kStars = "***";

/// At most kLongestPassword + 1 bytes of the first line.
std::string first_line(std::istream& stream) {
    std::string line;
    for (char c = 0; line.size() <= kLongestPassword && stream.get(c) && c != '\n';) line += c;
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

/// "x", and what pools read in a password's place: "d=1,m=solo".
bool says_nothing_secret(std::string_view password) {
    constexpr std::string_view kParameters[] = {"d", "md", "diff", "m", "c", "mc"};
    if (password.empty() || password == "x") return true;
    for (std::size_t from = 0; from <= password.size();) {
        const std::size_t comma = std::min(password.find(',', from), password.size());
        const std::string_view part = password.substr(from, comma - from);
        const std::size_t equals = part.find('=');
        const bool known = equals != std::string_view::npos &&
                           std::ranges::find(kParameters, part.substr(0, equals)) != std::end(kParameters);
        if (!known && part != "x") return false;
        from = comma + 1;
    }
    return true;
}

/// Scheme, host and port. In their places something else may stand: "socks5://user:password", without a host, or a path
/// with an @.
std::string url_without_secrets(std::string_view text) {
    const net::UrlParts parts = net::split_url(text);
    const auto port = parts.port ? net::parse_port(*parts.port) : std::nullopt;
    const bool is_scheme = parts.scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+") == std::string::npos;
    std::string shown = is_scheme && !parts.scheme.empty() ? parts.scheme + "://" : "";
    if (!parts.flaw.empty() || !net::host_flaw(parts.host).empty() ||
        (parts.login && (!port || parts.login->find_first_of("/?#") != std::string_view::npos)))
        return shown + kStars;
    if (parts.login) shown += std::string(kStars) + "@";
    const bool is_ipv6 = parts.host.find(':') != std::string_view::npos;
    shown += is_ipv6 ? fmt::format("[{}]", parts.host) : std::string(parts.host);
    if (parts.port) shown += port ? fmt::format(":{}", *port) : fmt::format(":{}", kStars);
    const bool is_known = parts.rest.empty() || parts.rest == "/" || parts.rest == "#xnsub";
    return shown + std::string(is_known ? parts.rest : parts.rest.substr(0, 1)) + (is_known ? "" : kStars);
}

}  // namespace

std::string without_secrets(const std::string& option, const std::string& value) {
    constexpr std::string_view kOfUrls[] = {"--url", "--proxy", "--node", "--webhook"};
    if (option.starts_with("--on-")) return kStars;
    if (std::ranges::find(kOfUrls, option) != std::end(kOfUrls) ||
        (value.find("://") != std::string::npos && value.find('@') != std::string::npos))
        return url_without_secrets(value);
    if (!is_secret(option, value)) return value;
    const std::size_t colon = value.find(':');
    return option != "--userpass" || colon == std::string::npos ? kStars : value.substr(0, colon + 1) + kStars;
}

bool is_secret(const std::string& option, const std::string& value) {
    if (option == "--webhook") return true;  // chats put theirs into the path
    if (option == "--proxy" || option == "--node") return value.find('@') != std::string::npos;
    std::string_view password = value;
    if (option == "--userpass") password.remove_prefix(std::min(value.find(':') + 1, value.size()));
    return (option == "--pass" || option == "--userpass") && !says_nothing_secret(password);
}

std::string read_password(const std::string& path) {
    const bool is_input = path == "-";
    const std::string source = is_input ? "standard input" : quoted_text(path, kShownOfPath);
    std::optional<InputStream> file;
    if (!is_input) file.emplace(path, "--pass-file: cannot read " + source);
    std::string password = first_line(is_input ? std::cin : *file);
    if (password.empty() || password.size() > kLongestPassword) {
        throw InputError(
            fmt::format("--pass-file: expected a password of 1 to {} bytes in the first line of {}, got {}",
                        kLongestPassword, source, password.empty() ? "none" : "a longer line"));
    }
    return password;
}

std::optional<std::string> readable_by_others(const std::string& path, const std::string& what) {
    const std::string who = who_else_reads(path);
    if (who.empty()) return std::nullopt;
    return fmt::format("{} can read {} in {}; {} prevents that", who, what, quoted_text(path, kShownOfPath),
                       closing_command());
}

void hide(std::span<char* const> words, std::span<const std::string> values) {
    for (char* const word : words) {
        const std::string_view text = word;
        for (const std::string& value : values) {
            // By itself, or behind the option's name: "-pSECRET", "--pass=SECRET".
            if (text == value || (text.starts_with('-') && text.ends_with(value)))
                std::fill(word + text.size() - value.size(), word + text.size(), 'x');
        }
    }
}

}  // namespace gpuminer
