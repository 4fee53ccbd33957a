// Comparison of two documents of `gpuminer bench`: the ratio of each measurement, what is noise, and the differences
// that make the comparison unfair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/document/document.hpp"
#include "bench/document/statistics.hpp"
#include "host/text/table.hpp"

namespace gpuminer::bench {

enum class ComparisonVerdict {
    kFaster,      ///< B is better, by more than noise
    kSlower,      ///< B is worse, by more than noise
    kNoise,       ///< no difference that could be told from noise
    kCannotTell,  ///< too few rounds for an interval
};
[[nodiscard]] const char* to_string(ComparisonVerdict verdict);

/// A measurement that both documents have.
struct Compared {
    std::string workload;
    std::string name;
    std::string unit;
    Better better = Better::kHigher;
    std::optional<double> median_a;  ///< empty: no rounds
    std::optional<double> median_b;
    Ratio ratio;        ///< of the values, B over A
    Ratio performance;  ///< the same so that above 1 is better: of times, A over B
    ComparisonVerdict verdict = ComparisonVerdict::kCannotTell;
};

struct Comparison {
    std::string a;  ///< what to call it: its file
    std::string b;
    std::string about_a;  ///< program, system, CPU and date
    std::string about_b;
    std::vector<std::string> alarms;       ///< why figures mean nothing at all: a failed verification. Sentences
    std::vector<std::string> differences;  ///< what is not the same on both sides: machine, job, program. Sentences
    std::vector<Compared> measurements;    ///< in the order of A
    std::vector<std::string> only_in_a;    ///< "workload: name"
    std::vector<std::string> only_in_b;
};

/// The names are for people: the files. Measurements whose units differ are named among the differences, and not
/// compared.
[[nodiscard]] Comparison compare(const Document& a, const Document& b, const std::string& name_a = "A",
                                 const std::string& name_b = "B");
/// The differences alone, as sentences, for two documents called A and B.
[[nodiscard]] std::vector<std::string> differences_of(const Document& a, const Document& b);

/// Those that are slower in B, beyond noise, and have less than so many percent of A's performance (95: a loss of more
/// than 5 % fails). Alarms, and measurements that B lacks, are the caller's to judge.
[[nodiscard]] std::vector<Compared> fails_below(const Comparison& comparison, double percent);

/// Unless it is `detailed`, 80 columns are enough for the tables: what is the same in each row is said above them, the
/// percentage is left to B/A, and where there is no room the interval to `detailed`.
[[nodiscard]] std::string compare_text(const Comparison& comparison, std::size_t columns = kUnlimitedColumns,
                                       bool detailed = true);
[[nodiscard]] std::string compare_markdown(const Comparison& comparison);
/// Of several documents with the first: what they are of, and the medians of all in a table for each workload, a column
/// for each document.
[[nodiscard]] std::string side_by_side_text(const std::vector<Comparison>& comparisons,
                                            std::size_t columns = kUnlimitedColumns);
[[nodiscard]] std::string side_by_side_markdown(const std::vector<Comparison>& comparisons);
/// A line for each measurement of each comparison, after one with the names of the columns (RFC 4180).
[[nodiscard]] std::string compare_csv(const std::vector<Comparison>& comparisons);
/// Infinite bounds are null.
[[nodiscard]] Json to_json(const Comparison& comparison);
/// "format": "gpuminer compare" and the comparison's fields; of several, an array "comparisons" of them.
[[nodiscard]] std::string compare_json(const std::vector<Comparison>& comparisons);

}  // namespace gpuminer::bench
