#include "net/journal/reader.hpp"

#include <nlohmann/json.hpp>

namespace gpuminer::net {
namespace {

using nlohmann::json;

// By its brackets and commas, before anything is built from it: a parsed value takes many times its text's memory, and
// functions that walk through one call themselves at each level.
bool is_flat(std::string_view line) {
    constexpr int kDeepest = 2;
    constexpr int kMostCommas = 500;
    int depth = 0;
    int commas = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (in_string) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                in_string = false;
            }
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kDeepest) return false;
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (c == ',' && ++commas > kMostCommas) {
            return false;
        }
    }
    return true;
}

}  // namespace

json parse_entry(std::string_view line) {
    json none(json::value_t::discarded);
    if (line.size() > kLongestEntry || line.find("\"event\"") == std::string_view::npos || !is_flat(line)) return none;
    json entry = json::parse(line.begin(), line.end(), nullptr, false);
    return entry.is_object() ? entry : none;
}

void EntryReader::add(std::string_view text) {
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        end_line(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    too_long_ = too_long_ || begun_.size() + text.size() > kLongestEntry;
    if (too_long_) {
        begun_ = {};
    } else {
        begun_ += text;
    }
}

void EntryReader::end_line(std::string_view rest) {
    const bool too_long = std::exchange(too_long_, false);
    std::string begun = std::exchange(begun_, {});
    if (too_long) return;
    if (!begun.empty()) rest = begun += rest;
    json entry = parse_entry(rest);
    if (!entry.is_discarded()) take_(std::move(entry), rest.size());
}

}  // namespace gpuminer::net
