#include "cli/options/config_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "cli/options/config_files.hpp"
#include "cli/options/option_table.hpp"
#include "cli/options/toml_file.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/text.hpp"
#include "host/text/unicode.hpp"

namespace gpuminer {
namespace {

constexpr std::size_t kShownOfLine = 160;  // characters

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

/// Not what may hold a password: commands and webhooks have theirs in their text, URLs before an @. Messages are ASCII.
bool is_shown(const OptionRow& row, std::string_view value) {
    const bool may_hold_password =
        row.environment != nullptr || row.group == kAlert || value.find('@') != std::string_view::npos;
    return !may_hold_password && std::ranges::all_of(value, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

/// Without the quotes around it, or one that has no counterpart.
std::string_view unquoted(std::string_view value) {
    value = trimmed(value);
    for (const char quote : {'"', '\''}) {
        if (!value.starts_with(quote)) continue;
        value.remove_prefix(1);
        if (value.ends_with(quote)) value.remove_suffix(1);
        break;
    }
    return value;
}

/// As one of TOML's texts: 'C:\x' where that spares backslashes.
std::string toml_text(std::string_view value) {
    const bool needs_escapes = value.find_first_of("\"\\") != std::string_view::npos;
    if (needs_escapes && value.find('\'') == std::string_view::npos) return fmt::format("'{}'", value);
    std::string text;
    for (const char c : value) text += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    return fmt::format("\"{}\"", text);
}

std::string truth_of(std::string_view value) {
    const std::string word = ascii_lower(unquoted(value));
    return word == "false" || word == "no" || word == "off" || word == "0" ? "false" : "true";
}

/// What follows a blank and a # was meant as a comment, where the value is not in quotes.
std::string_view without_comment(std::string_view value) {
    if (value.starts_with('"') || value.starts_with('\'')) return value;
    for (const std::string_view mark : {" #", "\t#"}) value = value.substr(0, value.find(mark));
    return trimmed(value.starts_with('#') ? "" : value);
}

std::vector<std::string> parts_of(std::string_view list) {
    if (list.starts_with('[')) list.remove_prefix(1);
    if (list.ends_with(']')) list.remove_suffix(1);
    std::vector<std::string> parts;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        if (const std::string_view part = unquoted(list.substr(0, comma)); !part.empty()) parts.emplace_back(part);
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return parts;
}

/// The value of an option as TOML has it, from one that it has not.
std::string value_as_toml(const OptionRow& row, std::string_view value) {
    value = without_comment(trimmed(value));
    if (row.value == nullptr) return truth_of(value);
    if (value.empty()) return example_value(row);
    const auto text = [&](std::string_view part) {
        return is_shown(row, part) ? toml_text(part) : std::string("\"...\"");
    };
    const bool takes_list = row.repeated || std::string_view(row.value) == "LIST";
    if (!takes_list || (!value.starts_with('[') && value.find(',') == std::string_view::npos))
        return text(unquoted(value));
    std::string list;
    for (const std::string& part : parts_of(value)) list += (list.empty() ? "" : ", ") + text(part);
    return "[" + list + "]";
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
    if (!shown || !is_bare_name(name)) return "unknown option on a line unlike `threads = 4`";
    std::vector<std::string> names;
    std::ranges::transform(option_rows(), std::back_inserter(names),
                           [](const OptionRow& row) { return long_name(row).substr(2); });
    return "unknown option " + quoted_text(name) + did_you_mean(name, names);
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
    const std::string_view name = unquoted(line.substr(0, sign));
    const OptionRow* const row = row_named(name);
    if (row == nullptr) return unknown_option(name, sign < line.size());
    if (read_toml(line).wrong_line == 0) return given_twice(*row);
    const std::string value = value_as_toml(*row, line.substr(std::min(sign + 1, line.size())));
    return fmt::format("expected `{}` (TOML)", printable_ascii(fmt::format("{} = {}", name, value), kShownOfLine));
}

}  // namespace gpuminer
