#include "host/text/json_bounds.hpp"

#include <vector>

#include <fmt/format.h>

namespace gpuminer {
namespace {

/// Where the string ends whose opening quotation mark is at `begin`: its closing one, or the end of the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
    std::size_t at = begin + 1;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return at;
}

bool is_white_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

std::string exceeded_bound(std::string_view text, const JsonBounds& bounds) {
    std::vector<std::size_t> names;  // so far, of each array and object that is open
    std::size_t values = 1;          // the text as a whole
    bool empty = false;              // an array or object was opened, and nothing has come since
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_white_space(c)) continue;
        const bool closes = c == ']' || c == '}';
        if ((empty && !closes) || c == ',') ++values;  // each is the first of its list, or follows a comma
        if (values > bounds.values) return fmt::format("at most {} values", bounds.values);
        empty = false;
        if (c == '"') {
            i = end_of_string(text, i);
        } else if (c == '[' || c == '{') {
            if (names.size() == bounds.levels) return fmt::format("at most {} levels", bounds.levels);
            names.push_back(0);
            empty = true;
        } else if (closes) {
            if (names.empty()) break;
            names.pop_back();
        } else if (c == ':' && !names.empty() && ++names.back() > bounds.names) {
            return fmt::format("at most {} names in an object", bounds.names);
        }
    }
    return "";
}

}  // namespace gpuminer
