// Fuzzer of journal text. Entries are the same however their text is divided, open entries are the same when read
// again, totals are numbers, and the statistics are printable on a terminal.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "net/journal/entries.hpp"
#include "net/journal/history.hpp"
#include "net/journal/reader.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer::net;
using gpuminer::fuzz::demand;
using nlohmann::json;

namespace {

std::vector<json> entries_of(std::string_view text, std::size_t piece) {
    std::vector<json> entries;
    EntryReader reader([&](json entry, std::size_t size) {
        demand(size <= text.size(), "an entry is no longer than the text");
        entries.push_back(std::move(entry));
    });
    for (std::size_t from = 0; from < text.size(); from += piece) reader.add(text.substr(from, piece));
    reader.finish();
    return entries;
}

void add_all(OpenEntries& open, const std::vector<json>& entries) {
    for (const json& entry : entries) open.add(entry, entry.dump().size());
}

void check_open(const std::vector<json>& entries) {
    OpenEntries open;
    add_all(open, entries);
    const json totals = open.totals();
    for (const auto& [name, total] : totals.items())
        demand(total.is_number() && std::isfinite(total.get<double>()) && total >= 0, "totals are numbers");
    const std::vector<json> left = open.take();
    demand(left.size() <= entries.size(), "nothing is open that was not there");
    OpenEntries again;
    add_all(again, left);
    demand(again.totals()["shares"] == 0, "a share is counted once");
    demand(again.take() == left, "what is open stays open in the next file");
}

void demand_text(std::string_view text) {
    demand(std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }),
           "no control character reaches a terminal");
}

void check_history(const std::vector<json>& entries) {
    JournalHistory history;
    for (const json& entry : entries) history.add(entry, true);
    for (const PoolDay& day : history.days()) {
        demand(day.day.empty() || day.day.size() == 10, "a day is a date");
        demand_text(day.pool);
        for (const auto& [reason, count] : day.reasons) demand_text(reason);
        demand(std::isfinite(day.counts.best_difficulty), "a difficulty is a number");
    }
    for (const JournalBlock& block : history.blocks()) demand_text(block.where + block.hash + block.result);
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::vector<json> entries = entries_of(text, std::max<std::size_t>(1, text.size()));
    demand(entries_of(text, std::size_t{1} + data[0]) == entries, "pieces make no difference");
    check_open(entries);
    check_history(entries);
    return 0;
}
