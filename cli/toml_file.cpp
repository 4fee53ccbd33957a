#include "cli/toml_file.hpp"

#include <toml++/toml.h>  // no other source includes it: it takes seconds

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace gpuminer {
namespace {

/// toml++ counts lines by '\n', and columns in characters; both from 1.
std::size_t offset_of(std::string_view text, toml::source_position position) {
    std::size_t at = 0;
    for (toml::source_index line = 1; line < position.line; ++line) at = text.find('\n', at) + 1;
    for (toml::source_index column = 1; column < position.column && at < text.size(); ++column) {
        do ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);  // the rest of a character
    }
    return at;
}

/// Of a number the text of the file: a double printed again would be another one.
std::string value_of(const toml::node& node, std::string_view text) {
    if (const auto* const string = node.as_string()) return string->get();
    const toml::source_region& source = node.source();
    const std::size_t begin = offset_of(text, source.begin);
    return std::string(text.substr(begin, offset_of(text, source.end) - begin));
}

bool is_value(const toml::node& node) { return !node.is_array() && !node.is_table(); }

TomlEntry entry_of(std::string_view name, const toml::node& node, std::string_view text) {
    TomlEntry entry{std::string(name), node.source().begin.line};
    const toml::array* const list = node.as_array();
    if (list != nullptr) {
        entry.nested = !std::all_of(list->begin(), list->end(), is_value);
        if (entry.nested) return entry;
        for (const toml::node& item : *list) entry.values.push_back(value_of(item, text));
    } else if (is_value(node)) {
        entry.values.push_back(value_of(node, text));
    } else {
        entry.nested = true;
    }
    return entry;
}

}  // namespace

TomlFile read_toml(std::string_view text) {
    TomlFile file;
    const toml::parse_result result = toml::parse(text);
    if (!result) {
        file.wrong_line = std::max(1U, static_cast<unsigned>(result.error().source().begin.line));
        return file;
    }
    for (const auto& [name, node] : result.table()) file.entries.push_back(entry_of(name.str(), node, text));
    std::ranges::stable_sort(file.entries, {}, &TomlEntry::line);
    return file;
}

}  // namespace gpuminer
