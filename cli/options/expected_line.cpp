#include "cli/options/expected_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "cli/options/arguments.hpp"
#include "cli/options/config_files.hpp"
#include "cli/options/options.hpp"
#include "cli/options/toml_file.hpp"
#include "host/devices/devices.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer {
namespace {

constexpr std::size_t kLongestShown = 160;  // characters of a value, and of a comment
constexpr const char* kHidden = "\"...\"";  // in place of what may hold a password, or is no ASCII
constexpr std::string_view kComma = ",";
constexpr std::string_view kBetweenNames = ", \t";  // which have no blanks in them

/// Commands and webhooks have theirs in their text, URLs before an @.
bool may_hold_password(const OptionRow& row, std::string_view value) {
    return row.environment != nullptr || row.group == kAlert || value.find('@') != std::string_view::npos;
}

/// Messages are ASCII.
bool is_shown(const OptionRow& row, std::string_view value) {
    return !may_hold_password(row, value) && std::ranges::all_of(value, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

/// Empty: it says neither.
std::string truth_of(std::string_view value) {
    constexpr std::array kTrue = {"", "true", "yes", "on", "1"};
    constexpr std::array kFalse = {"false", "no", "off", "0"};
    const std::string word = ascii_lower(without_quotes(value));
    if (std::ranges::find(kTrue, word) != kTrue.end()) return "true";
    return std::ranges::find(kFalse, word) != kFalse.end() ? "false" : "";
}

std::string scalar_as_toml(const OptionRow& row, std::string_view value) {
    return is_shown(row, value) ? as_toml(value) : kHidden;
}

std::vector<std::string> parts_of(std::string_view list, std::string_view separators) {
    if (list.starts_with('[')) list.remove_prefix(1);
    if (list.ends_with(']')) list.remove_suffix(1);
    std::vector<std::string> parts;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find_first_of(separators), list.size());
        if (const std::string_view part = without_quotes(list.substr(0, end)); !part.empty()) parts.emplace_back(part);
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return parts;
}

/// What a line has after its sign.
struct Written {
    std::string_view value, comment;  ///< the comment without its mark
};

Written cut_at(std::string_view text, std::size_t mark) {
    if (mark == std::string_view::npos) return {text, {}};
    return {trimmed(text.substr(0, mark)), trimmed(text.substr(mark + 1))};
}

/// After the quote that ends the text in quotes at the beginning, or at the beginning where there is none.
std::size_t end_of_quotes(std::string_view text) {
    if (!text.starts_with('"') && !text.starts_with('\'')) return 0;
    std::size_t end = text.find(text.front(), 1);
    while (end != std::string_view::npos && text.front() == '"' && text[end - 1] == '\\') end = text.find('"', end + 1);
    return end != std::string_view::npos ? end + 1 : 0;
}

/// The # or, as INI files have it, the ; that was meant to begin a comment: after a blank or a text in quotes.
std::size_t comment_mark(std::string_view text) {
    constexpr std::string_view kMarks = "#;";
    if (const std::size_t end = end_of_quotes(text); end != 0) {
        const std::size_t next = text.find_first_not_of(" \t", end);
        return next != std::string_view::npos && kMarks.find(text[next]) != std::string_view::npos
                   ? next
                   : std::string_view::npos;
    }
    for (std::size_t at = 0; (at = text.find_first_of(kMarks, at)) != std::string_view::npos; ++at)
        if (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t') return at;
    return std::string_view::npos;
}

std::string value_as_toml(const OptionRow& row, std::string_view value, std::string_view separators) {
    if (row.value == nullptr) return truth_of(value);
    if (value.empty()) return example_value(row);
    const bool takes_list = row.repeated || std::string_view(row.value) == "LIST";
    const bool is_list = value.starts_with('[') || value.find_first_of(separators) != std::string_view::npos;
    if (!takes_list || !is_list) return scalar_as_toml(row, without_quotes(value));
    std::string list;
    for (const std::string& part : parts_of(value, separators))
        list += (list.empty() ? "" : ", ") + scalar_as_toml(row, part);
    return !list.empty() ? "[" + list + "]" : example_value(row);
}

std::string line_as_toml(const OptionRow& row, const Written& written, std::string_view separators) {
    std::string value = value_as_toml(row, written.value, separators);
    if (value.size() > kLongestShown) value = kHidden;
    const bool has_comment = !written.comment.empty() && written.comment.size() <= kLongestShown &&
                             value.find(kHidden) == std::string::npos && is_shown(row, written.comment);
    return fmt::format("{} = {}{}{}", long_name(row).substr(2), value, has_comment ? " # " : "",
                       has_comment ? written.comment : "");
}

/// Whether it may be one of the option's words, or begins with one (cpu:avx512#0); a device may be a number.
bool is_choice(const OptionRow& row, std::string_view value) {
    const std::vector<std::string> choices = words_of_list(row.choices);
    const bool is_number = !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
    return is_number || std::ranges::find(choices, ascii_lower(value.substr(0, value.find(':')))) != choices.end();
}

/// The same of values that are no TOML: one that is no word of the option's may have been meant as something else.
std::string refusal_of_words(const OptionRow& row, const std::vector<std::string>& values) {
    if (row.choices != nullptr && row.group != kSolo &&
        !std::ranges::all_of(values, [&](const auto& any) { return is_choice(row, any); }))
        return fmt::format("{}: expected one of its words in quotes (TOML), got {}", long_name(row),
                           quoted_text(fmt::format("{}", fmt::join(values, ","))));
    return refusal_of(row, values);
}

}  // namespace

std::string refusal_of(const OptionRow& row, const std::vector<std::string>& values) {
    constexpr const char *kPayTo = "--coinbase-addr", *kAnyAddress = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
    const std::string name = long_name(row);
    if (row.value == nullptr || name == "--pass-file") return "";
    const std::string all = fmt::format("{}", fmt::join(values, ","));
    const bool is_remote = name == "--http" && all.starts_with("https://");  // of a running miner
    const auto commands = command_rows();
    const CommandRow& command = *std::ranges::find_if(commands, [&](const CommandRow& any) {
        return is_remote ? any.command == Command::kStatus : ((any.groups | kEverywhere) & row.group) != 0;
    });
    std::vector<std::string> words = {command.name};
    if (command.command == Command::kMine) words.emplace_back("genesis");
    if (command.command == Command::kPool) words.insert(words.end(), {"-o", "localhost:1", "-u", "x"});
    if (command.command == Command::kSolo && name != kPayTo) words.insert(words.end(), {kPayTo, kAnyAddress});
    if (name == "--http-host") words.insert(words.end(), {"--http", "1"});
    for (const std::string& value : row.repeated ? values : std::vector<std::string>{all})
        words.insert(words.end(), {name, value});
    try {
        require_known(read_options(Arguments(std::move(words))).devices);
    } catch (const InputError& error) {
        if (is_about(error.what(), row)) return error.what();
    }
    return "";
}

std::string_view without_quotes(std::string_view value) {
    value = trimmed(value);
    for (const char quote : {'"', '\''}) {
        if (!value.starts_with(quote)) continue;
        value.remove_prefix(1);
        if (value.ends_with(quote)) value.remove_suffix(1);
        break;
    }
    return value;
}

std::string expected_line(const OptionRow& row, std::string_view text) {
    text = trimmed(text);
    while (text.starts_with('=')) text = trimmed(text.substr(1));
    const std::size_t mark = is_shown(row, "") ? comment_mark(text) : std::string_view::npos;  // passwords are whole
    std::string why;
    for (const Written& written : {cut_at(text, mark), cut_at(text, text.find(';'))}) {
        for (const std::string_view separators : {row.repeated ? kComma : kBetweenNames, kBetweenNames}) {
            const std::string line = line_as_toml(row, written, separators);
            const TomlFile file = read_toml(line);
            if (file.entries.size() != 1) continue;
            const bool is_hidden = line.find(kHidden) != std::string::npos;
            const std::vector<std::string> values =
                is_hidden ? std::vector{std::string(without_quotes(written.value))} : file.entries.front().values;
            const std::string refusal = may_hold_password(row, written.value) ? "" : refusal_of_words(row, values);
            if (refusal.empty()) return fmt::format("expected `{}` (TOML)", line);
            if (why.empty()) why = written.value.empty() ? refusal_of_words(row, {""}) : refusal;
        }
    }
    if (row.value == nullptr) return fmt::format("{}: expected true or false (TOML)", long_name(row));
    return !why.empty() ? why : "expected a line such as `threads = 4` (TOML)";
}

}  // namespace gpuminer
