// Formatting of figures and tables.
#include "bench/document/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/text/format.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

struct Prefix {
    double divisor;
    const char* text;
};

/// The one with which the value is 1 … 999.
Prefix prefix_of(double value) {
    constexpr std::array kPrefixes{"", "k", "M", "G", "T", "P"};
    std::size_t i = 0;
    double divisor = 1;
    for (; std::abs(value) >= 1000 * divisor && i + 1 < kPrefixes.size(); ++i) divisor *= 1000;
    return {divisor, kPrefixes.at(i)};
}

std::string markdown_row(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) line += " " + markdown_escaped(cell) + " |";
    return line + "\n";
}

}  // namespace

std::string figure_text(double value) {
    constexpr double kMostWhole = 1e15;  // below, a double counts by ones
    const double size = std::abs(value);
    if (!std::isfinite(value)) return std::isnan(value) ? kUnknown : value > 0 ? "∞" : "-∞";
    if (size >= kMostWhole) return fmt::format("{:.4g}", value);
    if (size >= 999.95) return (value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(std::llround(size)));
    if (size >= 99.995) return fmt::format("{:.1f}", value);
    if (size >= 9.9995) return fmt::format("{:.2f}", value);
    if (size >= 1) return fmt::format("{:.3f}", value);
    return size > 0 ? fmt::format("{:#.4g}", value) : "0";
}

std::string figure_text(const std::optional<double>& value) { return value ? figure_text(*value) : kUnknown; }

std::string prefixed_text(double value) {
    const auto [divisor, prefix] = prefix_of(value);
    return figure_text(value / divisor) + (*prefix != 0 ? " " : "") + prefix;
}

Scale scale_of(double value, const std::string& unit) {
    if (!unit.ends_with("/s")) return {1, unit};
    const auto [divisor, prefix] = prefix_of(value);
    if (unit == "hashes/s") return {divisor, std::string(prefix) + "H/s"};
    return {divisor, *prefix == 0 ? unit : fmt::format("{} {}", prefix, unit)};
}

std::string markdown_escaped(const std::string& text) {
    constexpr std::string_view kSpecial = "\\`*_[]<>&|~";
    std::string out;
    for (const char c : printable(text)) {
        if (kSpecial.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

bool fits_usual_terminal(const Table& table) {
    constexpr std::size_t kUsual = 80;
    const std::string text = aligned_text(table, {.fold_headings = true});
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        if (character_count(std::string_view(text).substr(at, end - at)) > kUsual) return false;
        at = end + 1;
    }
    return true;
}

std::string markdown_text(const Table& table) {
    std::string text = markdown_row(table.headings) + "|";
    for (std::size_t i = 0; i < table.headings.size(); ++i) text += i == 0 ? "---|" : "---:|";
    text += "\n";
    for (const std::vector<std::string>& row : table.rows) text += markdown_row(row);
    return text;
}

}  // namespace gpuminer::bench
