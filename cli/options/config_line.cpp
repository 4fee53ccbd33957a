#include "cli/options/config_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
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

std::string_view lines_before(std::string_view text, unsigned number) {
    std::size_t begin = 0;
    for (unsigned line = 1; line < number && begin < text.size(); ++line)
        begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
    return text.substr(0, begin);
}

/// Without its end.
std::string_view line_of(std::string_view text, unsigned number) {
    const std::size_t begin = lines_before(text, number).size();
    return text.substr(begin, text.find('\n', begin) - begin);
}

void replace_line(std::string& text, unsigned number, std::string_view line) {
    text.replace(lines_before(text, number).size(), line_of(text, number).size(), line);
}

/// A line as TOML has it: a name, "=", and a value; of others the name alone.
struct Halves {
    std::string_view name, value;
    bool has_sign = false;
};
Halves halves_of(std::string_view line) {
    const std::size_t sign = std::min(line.find('='), line.size());
    return {without_quotes(line.substr(0, sign)), trimmed(line.substr(std::min(sign + 1, line.size()))),
            sign < line.size()};
}

std::string name_of_stand_in(unsigned number) { return fmt::format("line {}", number); }

/// In place of a line that is wrong, for the lines after it to be read: where it begins a list, another one begins.
std::string stand_in(std::string_view line, unsigned number) {
    const bool begins_list = halves_of(line).value.starts_with('[') && line.find(']') == std::string_view::npos;
    return begins_list ? fmt::format("\"{}\" = [", name_of_stand_in(number)) : "";
}

/// The line on which the list or text begins that line `number` continues, or that line itself.
unsigned begin_of_statement(std::string_view text, unsigned number) {
    constexpr unsigned kLongest = 100;  // lines; for each the text is read again
    for (unsigned line = number; line > 1 && line + kLongest > number; --line)
        if (read_toml(lines_before(text, line)).wrong_line == 0) return line;
    return 1;
}

/// Changes the text for the lines after a wrong one to be read. False: they cannot be told apart.
bool step_over(std::string& text, unsigned number) {
    const std::string line(line_of(text, number));
    const unsigned begin = begin_of_statement(text, number);
    // Of a list without its end the next option is no part.
    if (begin < number && halves_of(line).has_sign && option_named(halves_of(line).name) != nullptr) {
        for (unsigned of_list = begin; of_list < number; ++of_list) replace_line(text, of_list, "");
        return true;
    }
    const std::string instead = stand_in(line, number);
    replace_line(text, number, instead);
    return line != instead;
}

/// A sentence about line `number` of the text, the first that is no TOML.
std::string no_toml(std::string_view text, unsigned number) {
    const std::string_view line = trimmed(line_of(text, number));
    if (!is_utf8(line)) return "expected a file in UTF-8";
    if (read_toml(lines_before(text, number)).wrong_line != 0)
        return "expected the rest of a list or text begun on an earlier line";
    if (line.starts_with('[')) return "expected lines such as `threads = 4` and no [sections]";
    const auto [name, value, has_sign] = halves_of(line);
    const OptionRow* const row = option_named(name);
    if (row == nullptr) return unknown_name(name, has_sign);
    if (is_of_command_line(*row)) return option_not_for_files(name);
    if (read_toml(line).wrong_line == 0) return given_twice(*row);
    return expected_line(*row, value);
}

}  // namespace

std::string unknown_name(std::string_view name, bool shown) {
    const bool is_other_case = option_named(ascii_lower(name)) != nullptr;
    if (!shown || !(is_bare_name(name) || is_other_case)) return "unknown option on a line unlike `threads = 4`";
    std::vector<std::string> names;
    std::ranges::transform(option_rows(), std::back_inserter(names),
                           [](const OptionRow& row) { return long_name(row).substr(2); });
    return "unknown option " + quoted_text(name) + did_you_mean(name, names);
}

std::string option_not_for_files(std::string_view name) {
    return fmt::format("expected an option allowed in a file, got {}", name);
}

ConfigLines read_config_lines(std::string text, bool all) {
    // Each has the text read again, where it is within a list several times.
    const std::size_t most_wrong = text.size() < 10'000 ? 100 : 10;
    ConfigLines lines;
    while (true) {
        TomlFile file = read_toml(text);
        lines.entries = std::move(file.entries);
        const unsigned number = file.wrong_line;
        if (number == 0) break;
        lines.wrong.push_back({number, no_toml(text, number)});
        if (!all) return lines;
        if (!step_over(text, number) || lines.wrong.size() == most_wrong) {
            const unsigned begin = begin_of_statement(text, number);
            lines.wrong.push_back({begin, "not checked from here on"});
            lines.entries = read_toml(lines_before(text, begin)).entries;
            break;
        }
    }
    std::erase_if(lines.entries, [](const TomlEntry& entry) { return entry.name == name_of_stand_in(entry.line); });
    return lines;
}

}  // namespace gpuminer
