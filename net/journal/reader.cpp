#include "net/journal/reader.hpp"

#include <nlohmann/json.hpp>

#include "host/text/json_text.hpp"

namespace gpuminer::net {
namespace {

using nlohmann::json;

constexpr JsonBounds kEntryBounds{.levels = 2, .values = 500};

}  // namespace

json parse_entry(std::string_view line) {
    json none(json::value_t::discarded);
    if (line.size() > kLongestEntry || line.find("\"event\"") == std::string_view::npos) return none;
    if (!exceeded_bound(line, kEntryBounds).empty()) return none;
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
