// Formatting of figures and tables.
#include "bench/document/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/block/format.hpp"
#include "host/block/text.hpp"

namespace gpuminer::bench {
namespace {

std::string padding(const std::string& text, std::size_t width) {
    return std::string(width - std::min(width, character_count(text)), ' ');
}

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

/// A heading over lines no wider than its column, where it can be folded: at spaces, and before a slash.
std::vector<std::string> folded(const std::string& heading, std::size_t width) {
    std::vector<std::string> lines{""};
    for (std::size_t start = 0; start < heading.size();) {
        const std::size_t end = std::min(heading.find_first_of(" /", start + 1), heading.size());
        const std::string word = heading.substr(start, end - start);  // with the space or slash before it
        if (!lines.back().empty() && character_count(lines.back() + word) > width) {
            lines.push_back(word.substr(word.starts_with(' ') ? 1 : 0));
        } else {
            lines.back() += word;
        }
        start = end;
    }
    return lines;
}

/// From columns of lines to lines of cells; all columns end in the last line.
std::vector<std::vector<std::string>> side_by_side(const std::vector<std::vector<std::string>>& columns) {
    std::size_t height = 0;
    for (const auto& column : columns) height = std::max(height, column.size());
    std::vector<std::vector<std::string>> lines(height, std::vector<std::string>(columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::size_t above = height - columns[i].size();
        for (std::size_t j = 0; j < columns[i].size(); ++j) lines[above + j][i] = columns[i][j];
    }
    return lines;
}

std::string aligned_line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
    std::string line = cells.at(0) + padding(cells.at(0), widths.at(0));
    for (std::size_t i = 1; i < cells.size(); ++i) line += "  " + padding(cells[i], widths.at(i)) + cells[i];
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
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

std::string aligned_text(const Table& table) {
    std::vector<std::vector<std::string>> rows = table.rows;
    std::vector<std::size_t> widths(table.headings.size(), 0);
    for (std::vector<std::string>& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = printable(row[i]);
            widths.at(i) = std::max(widths.at(i), character_count(row[i]));
        }
    }
    std::vector<std::vector<std::string>> headings;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        headings.push_back(folded(printable(table.headings[i]), widths[i]));
        for (const std::string& line : headings.back()) widths[i] = std::max(widths[i], character_count(line));
    }
    std::string text;
    for (const std::vector<std::string>& line : side_by_side(headings)) text += aligned_line(line, widths);
    for (const std::vector<std::string>& row : rows) text += aligned_line(row, widths);
    return text;
}

std::string markdown_text(const Table& table) {
    std::string text = markdown_row(table.headings) + "|";
    for (std::size_t i = 0; i < table.headings.size(); ++i) text += i == 0 ? "---|" : "---:|";
    text += "\n";
    for (const std::vector<std::string>& row : table.rows) text += markdown_row(row);
    return text;
}

}  // namespace gpuminer::bench
