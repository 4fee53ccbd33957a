// Tables for terminals.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace gpuminer {

/// Each row has a cell for each heading; the first column is left-aligned, the others right-aligned.
struct Table {
    std::vector<std::string> headings;
    std::vector<std::vector<std::string>> rows;
};

inline constexpr std::size_t kUnlimitedColumns = std::numeric_limits<std::size_t>::max();

struct TableLayout {
    /// Characters in a line. Columns that have no room in it stand on further lines of their row, indented.
    std::size_t columns = kUnlimitedColumns;
    bool fold_headings = false;  ///< those wider than their columns, at blanks and before slashes
};

/// Cells are shown as printable() (text.hpp) has them.
[[nodiscard]] std::string aligned_text(const Table& table, const TableLayout& layout = {});

}  // namespace gpuminer
