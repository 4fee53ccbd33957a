#include "host/text/table.hpp"

#include <algorithm>

#include "host/text/text.hpp"

namespace gpuminer {
namespace {

constexpr std::size_t kGap = 2;  // between columns

using Cells = std::vector<std::string>;

/// Columns of a table side by side: from `first` up to `last`, excluding it.
struct ColumnGroup {
    std::size_t first = 0, last = 0;
};

std::string padding(const std::string& text, std::size_t width) {
    return std::string(width - std::min(width, character_count(text)), ' ');
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
std::vector<Cells> side_by_side(const std::vector<std::vector<std::string>>& columns) {
    std::size_t height = 0;
    for (const auto& column : columns) height = std::max(height, column.size());
    std::vector<Cells> lines(height, Cells(columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::size_t above = height - columns[i].size();
        for (std::size_t j = 0; j < columns[i].size(); ++j) lines[above + j][i] = columns[i][j];
    }
    return lines;
}

std::vector<ColumnGroup> groups_of(const std::vector<std::size_t>& widths, std::size_t columns) {
    std::vector<ColumnGroup> groups{{0, 0}};
    std::size_t used = 0;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const bool is_first_of_group = i == groups.back().first;
        if (!is_first_of_group && used + kGap + widths[i] > columns) {
            groups.push_back({i, i});
            used = kGap;  // the indent
        }
        used += widths[i] + (i == groups.back().first ? 0 : kGap);
        groups.back().last = i + 1;
    }
    return groups;
}

std::string aligned_line(const Cells& cells, const std::vector<std::size_t>& widths, const ColumnGroup& group) {
    std::string line(group.first == 0 ? 0 : kGap, ' ');
    for (std::size_t i = group.first; i < group.last; ++i) {
        if (i > group.first) line += std::string(kGap, ' ');
        line += i == 0 ? cells[i] + padding(cells[i], widths[i]) : padding(cells[i], widths[i]) + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

}  // namespace

std::string aligned_text(const Table& table, const TableLayout& layout) {
    std::vector<Cells> rows = table.rows;
    std::vector<std::size_t> widths(table.headings.size(), 0);
    for (Cells& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = printable(row[i]);
            widths.at(i) = std::max(widths.at(i), character_count(row[i]));
        }
    }
    std::vector<std::vector<std::string>> headings;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const std::string heading = printable(table.headings[i]);
        headings.push_back(layout.fold_headings ? folded(heading, widths[i]) : std::vector{heading});
        for (const std::string& line : headings.back()) widths[i] = std::max(widths[i], character_count(line));
    }
    const std::vector<ColumnGroup> groups = groups_of(widths, layout.columns);
    const std::vector<Cells> heading_lines = side_by_side(headings);
    std::string text;
    for (const ColumnGroup& group : groups) {
        for (const Cells& line : heading_lines) {
            const std::string aligned = aligned_line(line, widths, group);
            if (aligned.find_first_not_of(" \n") != std::string::npos) text += aligned;
        }
    }
    for (const Cells& row : rows) {
        for (const ColumnGroup& group : groups) text += aligned_line(row, widths, group);
    }
    return text;
}

}  // namespace gpuminer
