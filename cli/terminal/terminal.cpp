#include "cli/terminal/terminal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string>
#include <system_error>

#include "host/text/text.hpp"

namespace gpuminer {
namespace {

constexpr std::size_t kUsual = 80, kUsualRows = 24;
constexpr std::size_t kLeast = 20;  // narrower ones are not for reading

/// Where the text begins that a line's continuation stands below, in bytes and so in columns: what precedes is ASCII,
/// or else the indent.
std::size_t hanging_indent(std::string_view line, std::size_t columns) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.find("  ", begin);
    if (gap != std::string_view::npos) {
        const std::size_t text = line.find_first_not_of(' ', gap);
        const bool ascii = std::ranges::all_of(line.substr(0, gap), [](char c) { return c >= 0x20 && c <= 0x7e; });
        if (text != std::string_view::npos && text <= columns / 2 && ascii) return text;
    }
    return std::min(begin, columns / 2) + 2;
}

void append_wrapped(std::string& out, std::string_view line, std::size_t columns) {
    if (character_count(line) <= columns) {
        out += line;
        return;
    }
    const std::string indent(hanging_indent(line, columns), ' ');
    std::size_t used = 0;
    bool begun = false;  // a word stands on this line
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t word = std::min(line.find_first_not_of(' ', at), line.size());
        const std::size_t end = std::min(line.find(' ', word), line.size());
        const std::size_t blanks = word - at;
        const std::size_t length = character_count(line.substr(word, end - word));
        if (begun && used + blanks + length > columns && indent.size() + length <= columns) {
            out += '\n' + indent;
            used = indent.size();
        } else {
            out += std::string(blanks, ' ');
            used += blanks;
        }
        out += line.substr(word, end - word);
        used += length;
        begun = true;
        at = end;
    }
}

std::size_t number_in_environment(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr) return 0;
    std::size_t number = 0;
    const char* const end = text + std::char_traits<char>::length(text);
    const auto [rest, error] = std::from_chars(text, end, number);
    return error == std::errc() && rest == end ? number : 0;
}

/// Of a character outside ASCII.
struct Likeness {
    std::string_view character, ascii;
};
constexpr Likeness kLikenesses[] = {{"×", "x"}, {"–", "-"}, {"—", "-"}, {"−", "-"}, {"…", "..."},
                                    {"°", ""},  {"µ", "u"}, {"μ", "u"}, {"·", "-"}, {"∞", "inf"},
                                    {"→", ">"}, {"█", "#"}, {"░", "-"}};

/// The number of bytes of the character that the text begins with.
std::size_t character_size(std::string_view text) {
    std::size_t size = 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) ++size;
    return size;
}

bool terminals_ignored = false;

bool counts_as_terminal(int descriptor) { return !terminals_ignored && is_terminal(descriptor); }

}  // namespace

void ignore_terminals() { terminals_ignored = true; }

std::size_t columns_of(int descriptor) {
    if (!counts_as_terminal(descriptor)) return kUnlimitedColumns;
    std::size_t columns = screen_size(descriptor).columns;
    if (columns == 0) columns = number_in_environment("COLUMNS");
    return std::max(kLeast, columns == 0 ? kUsual : columns);
}

std::size_t rows_of(int descriptor) {
    std::size_t rows = screen_size(descriptor).rows;
    if (rows == 0) rows = number_in_environment("LINES");
    return rows == 0 ? kUsualRows : rows;
}

bool terminal_has_colors(int descriptor) {
    return counts_as_terminal(descriptor) && knows_colors(descriptor) && !is_dumb_terminal();
}

bool shows_unicode() {
    for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* const value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        const std::string locale = ascii_lower(value);
        return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    }
    return true;
}

std::string ascii_text(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        if (static_cast<unsigned char>(text.front()) < 0x80) {
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        const std::string_view character = text.substr(0, character_size(text));
        const auto* const known = std::ranges::find(kLikenesses, character, &Likeness::character);
        const std::string_view ascii = known != std::end(kLikenesses) ? known->ascii : "?";
        out += ascii;
        text.remove_prefix(character.size());
        for (std::size_t extra = 1; extra < ascii.size() && text.starts_with("  "); ++extra) text.remove_prefix(1);
    }
    return out;
}

std::string shown_on(int descriptor, std::string_view text) {
    return counts_as_terminal(descriptor) && !shows_unicode() ? ascii_text(text) : std::string(text);
}

std::string fitted(std::string_view line, std::size_t columns) {
    if (character_count(line) <= columns) return std::string(line);
    for (std::size_t comma = line.rfind(", "); comma != std::string_view::npos && comma > 0;
         comma = line.rfind(", ", comma - 1)) {
        if (character_count(line.substr(0, comma)) <= columns) return std::string(line.substr(0, comma));
    }
    return shortened(line, std::max<std::size_t>(1, columns));
}

std::string wrapped(std::string_view lines, std::size_t columns) {
    if (columns == kUnlimitedColumns) return std::string(lines);
    std::string out;
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        append_wrapped(out, lines.substr(at, end - at), columns);
        if (end < lines.size()) out += '\n';
        at = end + 1;
    }
    return out;
}

}  // namespace gpuminer
