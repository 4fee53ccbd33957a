// Output of a document as text, Markdown and CSV (HTML: bench/document/html_report.hpp).
#pragma once

#include <string>
#include <vector>

#include "bench/document/document.hpp"
#include "host/text/table.hpp"

namespace gpuminer::bench {

/// For the terminal: a title, what the figures are, and a table with a line for each measurement. `measurements` are
/// those of one workload, which counted "cycles" or "ticks"; the table's lines have at most so many `columns`. Unless
/// it is `detailed`, the table has no details that are for who works on kernels, and of the others as many as fit into
/// 80 columns.
[[nodiscard]] std::string measurements_text(const std::string& title, const std::vector<Measurement>& measurements,
                                            const std::string& counted_units, std::size_t columns = kUnlimitedColumns,
                                            bool detailed = true);

/// A page in GitHub's Markdown: where and how it was measured, then a table for each workload, notes, failures.
[[nodiscard]] std::string markdown(const Document& document);

/// A line for each round, the first one with the names of the columns: RFC 4180 (CRLF, quotes where needed), UTF-8,
/// decimal points, times in seconds since the run began.
[[nodiscard]] std::string csv(const Document& document);
/// One such line; not empty.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

}  // namespace gpuminer::bench
