#include "cli/options/config_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "cli/options/expected_line.hpp"
#include "cli/options/option_table.hpp"
#include "cli/options/toml_file.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/text.hpp"
#include "host/text/unicode.hpp"

namespace gpuminer {
namespace {

/// What TOML takes for a name without quotes.
bool is_bare_name(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '_'; });
}

const OptionRow* row_named(std::string_view name) {
    const auto rows = option_rows();
    const auto row = std::ranges::find_if(rows, [&](const OptionRow& any) { return long_name(any).substr(2) == name; });
    return row != rows.end() ? &*row : nullptr;
}

/// Of an option that a line before gives, too.
std::string given_twice(const OptionRow& row) {
    const std::string name = long_name(row).substr(2);
    if (!row.repeated) return fmt::format("expected one line with {}, got a second one", name);
    return fmt::format("expected one line with {0}, such as `{0} = [\"...\", \"...\"]`, got a second one", name);
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const DecodedCharacter first = decode_utf8(text);
        if (!first.valid) return false;
        text.remove_prefix(first.size);
    }
    return true;
}

}  // namespace

std::string unknown_option(std::string_view name, bool shown) {
    const bool is_other_case = row_named(ascii_lower(name)) != nullptr;
    if (!shown || !(is_bare_name(name) || is_other_case)) return "unknown option on a line unlike `threads = 4`";
    std::vector<std::string> names;
    std::ranges::transform(option_rows(), std::back_inserter(names),
                           [](const OptionRow& row) { return long_name(row).substr(2); });
    return "unknown option " + quoted_text(name) + did_you_mean(name, names);
}

std::string option_not_for_files(std::string_view name) {
    return fmt::format("expected an option allowed in a file, got {}", name);
}

std::string no_toml(std::string_view text, unsigned number) {
    std::size_t begin = 0;
    for (unsigned line = 1; line < number && begin < text.size(); ++line)
        begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = trimmed(text.substr(begin, text.find('\n', begin) - begin));
    if (!is_utf8(line)) return "expected a file in UTF-8";
    if (read_toml(text.substr(0, begin)).wrong_line != 0)
        return "expected the rest of a list or text begun on an earlier line";
    if (line.starts_with('[')) return "expected lines such as `threads = 4` and no [sections]";
    const std::size_t sign = std::min(line.find('='), line.size());
    const std::string_view name = without_quotes(line.substr(0, sign));
    const OptionRow* const row = row_named(name);
    if (row == nullptr) return unknown_option(name, sign < line.size());
    if (is_of_command_line(*row)) return option_not_for_files(name);
    if (read_toml(line).wrong_line == 0) return given_twice(*row);
    return expected_line(*row, line.substr(std::min(sign + 1, line.size())));
}

}  // namespace gpuminer
