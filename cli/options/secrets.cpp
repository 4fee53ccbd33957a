#include "cli/options/secrets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "host/errors.hpp"
#include "host/files/file_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

constexpr std::size_t kLongestPassword = 1024;  // bytes
constexpr std::size_t kShownOfPath = 100;

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

}  // namespace

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
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    const bool is_open = (status.permissions() & std::filesystem::perms::others_read) != std::filesystem::perms::none;
    if (status.type() != std::filesystem::file_type::regular || !is_open) return std::nullopt;
    return fmt::format("every user of this machine can read {} in {}; `chmod 600` prevents that", what,
                       quoted_text(path, kShownOfPath));
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
