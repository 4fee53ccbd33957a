// Formatting of figures and tables for terminals and GitHub's Markdown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/text/table.hpp"

namespace gpuminer::bench {

inline constexpr const char* kUnknown = "–";

/// Four significant digits, or all digits of a larger whole number, grouped: "0.01235", "31.60", "1,234,567".
[[nodiscard]] std::string figure_text(double value);
/// The unknown is kUnknown.
[[nodiscard]] std::string figure_text(const std::optional<double>& value);

/// With a prefix of the SI: "31.60 M".
[[nodiscard]] std::string prefixed_text(double value);

/// The divisor and unit that give a figure few digits: 31.6e6 "hashes/s" is 31.60 "MH/s". A unit that is not per
/// second is kept.
struct Scale {
    double divisor = 1;
    std::string unit;
};
[[nodiscard]] Scale scale_of(double value, const std::string& unit);

/// printable() (host/text/text.hpp) with a backslash before every character that has a meaning in Markdown.
[[nodiscard]] std::string markdown_escaped(const std::string& text);

/// Whether aligned_text() with folded headings takes no more than the 80 columns of a usual terminal.
[[nodiscard]] bool fits_usual_terminal(const Table& table);

[[nodiscard]] std::string markdown_text(const Table& table);

}  // namespace gpuminer::bench
