// A text for learners in sections, shown on a terminal of 80 columns or as an HTML page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/text/table.hpp"

namespace gpuminer::lesson {

/// Running text without line breaks.
struct Paragraph {
    std::string text;
};

/// Lines that are shown as they are, at most 75 characters each.
struct Formulas {
    std::vector<std::string> lines;
};

/// A name, and under it lines of at most 75 characters.
struct Value {
    std::string name;
    std::vector<std::string> lines;
    std::string compared_with;  ///< not empty: what differs from it in the first line is marked
};
using Values = std::vector<Value>;

/// Rows of bits, all of one length; only a page shows them.
struct Bitmap {
    std::string description;
    std::vector<std::vector<bool>> rows;
};

using Part = std::variant<Paragraph, Formulas, Values, Table, Bitmap>;

struct Section {
    std::string title;
    std::vector<Part> parts;
};

/// Lines of at most 80 characters; the sections are numbered from 1. `colors`: marks are a terminal's colours as well.
[[nodiscard]] std::string text(const std::vector<Section>& sections, bool colors = false);

/// One self-contained file: light and dark, any width, no scripts. `about`: what the lesson is about, such as a hash,
/// shown below the title.
[[nodiscard]] std::string html(const std::vector<Section>& sections, std::string_view title, std::string_view about);

}  // namespace gpuminer::lesson
