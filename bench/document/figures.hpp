// Figures and tables of them as people read them: on a terminal, in GitHub's Markdown.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpuminer::bench {

/// Four digits that count, or all of a larger whole number, in groups: "0.01235", "31.60", "1,234,567".
[[nodiscard]] std::string figure_text(double value);
/// The unknown is "–".
[[nodiscard]] std::string figure_text(const std::optional<double>& value);

/// With a prefix of the SI: "31.60 M".
[[nodiscard]] std::string prefixed_text(double value);

/// What to divide a figure by so that few digits say it: 31.6e6 "hashes/s" is 31.60 "MH/s". A unit that is not per
/// second is kept.
struct Scale {
    double divisor = 1;
    std::string unit;
};
[[nodiscard]] Scale scale_of(double value, const std::string& unit);

/// What is no UTF-8 is replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(const std::string& text);
/// Valid UTF-8 without control characters: a driver's name, or a file of unknown origin, must not command a terminal.
[[nodiscard]] std::string printable(const std::string& text);
/// The same, and every character that Markdown gives a meaning stands for itself.
[[nodiscard]] std::string markdown_escaped(const std::string& text);

/// A table. Each row has a cell for each heading; the first column stands to the left, the others to the right.
struct Table {
    std::vector<std::string> headings;
    std::vector<std::vector<std::string>> rows;
};
/// For a terminal. Headings are folded rather than wider than what they stand over.
[[nodiscard]] std::string aligned_text(const Table& table);
[[nodiscard]] std::string markdown_text(const Table& table);

}  // namespace gpuminer::bench
