// Output of a comparison as text, Markdown and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/document/compare.hpp"
#include "bench/document/figures.hpp"
#include "bench/document/tables.hpp"
#include "host/files/path_text.hpp"
#include "host/text/document.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

constexpr const char* kExplanation[] = {
    "A and B: medians. B/A: the median ratio of all pairs of rounds (12 blocks of them at most), with its 95 % "
    "confidence interval.",
    "The interval covers only these two runs: of twenty truly equal pairs, about one looks different by chance, and "
    "more if the machine changed between the runs."};

/// The scale is that of A.
std::string cell(const std::optional<double>& value, const Scale& scale) {
    return value ? figure_text(*value / scale.divisor) : figure_text(value);
}

std::string interval_text(const Ratio& ratio) {
    if (ratio.low == 0 && std::isinf(ratio.high)) return "(too few rounds)";
    return fmt::format("({:.3f}–{:.3f})", ratio.low, ratio.high);
}

std::string verdict_text(const Compared& compared) {
    if (compared.verdict != ComparisonVerdict::kFaster && compared.verdict != ComparisonVerdict::kSlower)
        return to_string(compared.verdict);
    return fmt::format("{} by {:.1f} %", to_string(compared.verdict),
                       100 * std::abs(compared.performance.estimate - 1));
}

const char* better_text(Better better) { return better == Better::kHigher ? "more" : "less"; }

/// The scale of A's figures, where there are any.
Scale row_scale(const Compared& one) { return scale_of(one.median_a.value_or(one.median_b.value_or(0)), one.unit); }

/// The columns of a table that give way to a terminal of 80.
struct CompareColumns {
    bool unit = true, interval = true, better = true;
    bool detailed = true;  ///< percentages in verdicts, what a unit is per
};

Table table_of(const std::vector<Compared>& measurements, const CompareColumns& columns) {
    Table table{{"", "A", "B"}, {}};
    const auto add = [&](const char* heading, const auto& cell_of) {
        table.headings.emplace_back(heading);
        for (std::size_t i = 0; i < measurements.size(); ++i) table.rows[i].push_back(cell_of(measurements[i]));
    };
    for (const Compared& one : measurements)
        table.rows.push_back({one.name, cell(one.median_a, row_scale(one)), cell(one.median_b, row_scale(one))});
    if (columns.unit) {
        add("unit", [&](const Compared& one) {
            const std::string unit = row_scale(one).unit;
            return columns.detailed ? unit : unit.substr(0, unit.find(" per "));  // the name says of what
        });
    }
    add("B/A", [](const Compared& one) {
        return one.median_a && one.median_b ? fmt::format("{:.3f}", one.ratio.estimate) : std::string(kUnknown);
    });
    if (columns.interval) add("(95 %)", [](const Compared& one) { return interval_text(one.ratio); });
    if (columns.better) add("better", [](const Compared& one) { return better_text(one.better); });
    add("verdict", [&](const Compared& one) {
        return columns.detailed ? verdict_text(one) : std::string(to_string(one.verdict));
    });
    return table;
}

/// What is the same in all rows is left to the heading.
CompareColumns usual_compare_columns(const std::vector<Compared>& measurements) {
    const auto differs = [&](const auto& what) {
        return std::ranges::any_of(measurements,
                                   [&](const Compared& one) { return what(one) != what(measurements.front()); });
    };
    CompareColumns columns{.unit = differs([](const Compared& one) { return row_scale(one).unit; }),
                           .better = differs([](const Compared& one) { return one.better; }),
                           .detailed = false};
    columns.interval = fits_usual_terminal(table_of(measurements, columns));
    return columns;
}

std::vector<std::string> workloads_of(const Comparison& comparison) {
    std::vector<std::string> names;
    for (const Compared& one : comparison.measurements) {
        if (std::ranges::find(names, one.workload) == names.end()) names.push_back(one.workload);
    }
    return names;
}

/// The markup in which text and Markdown differ.
struct Style {
    std::string (*paragraph)(const std::string&);
    std::string (*alarm)(const std::string&);
    std::string (*heading)(const std::string&);
    std::string (*item)(const std::string&);
    std::string (*table)(const Table&, std::size_t columns);
};

constexpr Style kText{[](const std::string& text) { return printable(text) + "\n"; },
                      [](const std::string& text) { return "WARNING: " + printable(text) + "\n"; },
                      [](const std::string& text) { return "\n" + printable(text) + "\n"; },
                      [](const std::string& text) { return "  " + printable(text) + "\n"; },
                      [](const Table& table, std::size_t columns) {
                          return aligned_text(table, {.columns = columns, .fold_headings = true});
                      }};
constexpr Style kMarkdown{[](const std::string& text) { return markdown_escaped(text) + "\n\n"; },
                          [](const std::string& text) { return "**WARNING:** " + markdown_escaped(text) + "\n\n"; },
                          [](const std::string& text) { return "\n## " + markdown_escaped(text) + "\n\n"; },
                          [](const std::string& text) { return "- " + markdown_escaped(text) + "\n"; },
                          [](const Table& table, std::size_t) { return markdown_text(table); }};

std::string section(const Style& style, const char* heading, const std::vector<std::string>& items) {
    if (items.empty()) return "";
    std::string text = style.heading(heading);
    for (const std::string& item : items) text += style.item(item);
    return text;
}

std::string workload_text(const Comparison& comparison, const std::string& workload, const Style& style,
                          std::size_t columns, bool detailed) {
    std::vector<Compared> measurements;
    std::ranges::copy_if(comparison.measurements, std::back_inserter(measurements),
                         [&](const Compared& one) { return one.workload == workload; });
    const CompareColumns shown = detailed ? CompareColumns{} : usual_compare_columns(measurements);
    std::string heading = workload;
    if (!shown.unit) heading += ", " + row_scale(measurements.front()).unit;
    if (!shown.better) heading += fmt::format(", {} is better", better_text(measurements.front().better));
    return style.heading(heading) + style.table(table_of(measurements, shown), columns);
}

std::string page(const Comparison& comparison, const Style& style, std::size_t columns, bool detailed) {
    std::string text = style.paragraph(fmt::format("A is {}: {}", comparison.a, comparison.about_a)) +
                       style.paragraph(fmt::format("B is {}: {}", comparison.b, comparison.about_b));
    for (const std::string& alarm : comparison.alarms) text += style.alarm(alarm);
    text += section(style, "Not like for like", comparison.differences);
    for (const std::string& workload : workloads_of(comparison))
        text += workload_text(comparison, workload, style, columns, detailed);
    if (comparison.measurements.empty()) {
        text += style.heading("The two have no measurement in common.");
    } else {
        text += "\n";
        for (const char* line : kExplanation) text += style.paragraph(line);
    }
    text += section(style, "Only in A", comparison.only_in_a);
    return text + section(style, "Only in B", comparison.only_in_b);
}

std::string letter_of(std::size_t document) {
    constexpr std::size_t kLetters = 26;
    return document < kLetters ? std::string(1, static_cast<char>('A' + document))
                               : fmt::format("document {}", document + 1);
}

using RowName = std::pair<std::string_view, std::string_view>;  // workload and name
using RowsByName = std::map<RowName, const Compared*>;

RowsByName rows_by_name(const Comparison& comparison) {
    RowsByName rows;
    for (const Compared& one : comparison.measurements) rows.try_emplace({one.workload, one.name}, &one);
    return rows;
}

/// What any of them compares: rows of the first document.
Comparison all_rows_of(const std::vector<Comparison>& comparisons) {
    Comparison all;
    std::set<RowName> names;
    for (const Comparison& comparison : comparisons) {
        std::ranges::copy_if(comparison.measurements, std::back_inserter(all.measurements),
                             [&](const Compared& one) { return names.emplace(one.workload, one.name).second; });
    }
    return all;
}

std::vector<std::string> medians_of(const std::vector<RowsByName>& compared, const Compared& row) {
    std::vector<std::string> cells = {row.name, cell(row.median_a, row_scale(row))};
    for (const RowsByName& rows : compared) {
        const auto one = rows.find({row.workload, row.name});
        cells.push_back(one != rows.end() ? cell(one->second->median_b, row_scale(row)) : std::string(kUnknown));
    }
    cells.push_back(row_scale(row).unit);
    return cells;
}

std::string side_by_side(const std::vector<Comparison>& comparisons, const Style& style, std::size_t columns) {
    const Comparison all = all_rows_of(comparisons);
    std::vector<std::string> headings = {"", "1"};  // numbers: A and B are those of each comparison that follows
    std::string text = style.paragraph(fmt::format("1: {}, {}", comparisons.front().a, comparisons.front().about_a));
    std::set<std::string> alarms;
    bool is_whole = true;
    std::vector<RowsByName> compared;
    for (const Comparison& comparison : comparisons) {
        compared.push_back(rows_by_name(comparison));
        const std::string& number = headings.emplace_back(fmt::format("{}", headings.size()));
        text += style.paragraph(fmt::format("{}: {}, {}", number, comparison.b, comparison.about_b));
        alarms.insert(comparison.alarms.begin(), comparison.alarms.end());
        is_whole = is_whole && comparison.only_in_b.empty();
    }
    for (const std::string& alarm : alarms) text += style.alarm(alarm);
    if (!is_whole) text += style.paragraph("What 1 has not measured is left out here.");
    headings.emplace_back("unit");
    for (const std::string& workload : workloads_of(all)) {
        Table table{headings, {}};
        for (const Compared& row : all.measurements)
            if (row.workload == workload) table.rows.push_back(medians_of(compared, row));
        text += style.heading(workload + ", medians side by side") + style.table(table, columns);
    }
    return text + "\n";
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Ratio& ratio) {
    return {{"estimate", number(ratio.estimate)}, {"low", number(ratio.low)}, {"high", number(ratio.high)}};
}

Json to_json(const Compared& one) {
    return {{"workload", one.workload},
            {"name", one.name},
            {"unit", one.unit},
            {"better", one.better == Better::kHigher ? "higher" : "lower"},
            {"median_a", one.median_a ? Json(*one.median_a) : Json(nullptr)},
            {"median_b", one.median_b ? Json(*one.median_b) : Json(nullptr)},
            {"ratio", to_json(one.ratio)},
            {"performance", to_json(one.performance)},
            {"verdict", to_string(one.verdict)}};
}

/// Of the first document and of each that is compared with it: their files' names without the folders, which may tell
/// whose they are; or letters, where two are the same.
std::vector<std::string> short_names(const std::vector<Comparison>& comparisons) {
    const auto without_folder = [](const std::string& file) {
        return path_text(std::filesystem::path(file).filename());
    };
    std::vector<std::string> names = {without_folder(comparisons.front().a)};
    for (const Comparison& comparison : comparisons) names.push_back(without_folder(comparison.b));
    if (std::set(names.begin(), names.end()).size() == names.size()) return names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = letter_of(i);
    return names;
}

}  // namespace

std::string compare_text(const Comparison& comparison, std::size_t columns, bool detailed) {
    return page(comparison, kText, columns, detailed);
}

std::string compare_markdown(const Comparison& comparison) {
    return "# gpuminer compare\n\n" + page(comparison, kMarkdown, kUnlimitedColumns, true);
}

std::string side_by_side_text(const std::vector<Comparison>& comparisons, std::size_t columns) {
    return side_by_side(comparisons, kText, columns);
}

std::string side_by_side_markdown(const std::vector<Comparison>& comparisons) {
    return "# gpuminer compare, side by side\n\n" + side_by_side(comparisons, kMarkdown, kUnlimitedColumns);
}

Json to_json(const Comparison& comparison) {
    Json measurements = Json::array();
    for (const Compared& one : comparison.measurements) measurements.push_back(to_json(one));
    return {{"a", comparison.a},
            {"b", comparison.b},
            {"about_a", comparison.about_a},
            {"about_b", comparison.about_b},
            {"alarms", comparison.alarms},
            {"differences", comparison.differences},
            {"measurements", std::move(measurements)},
            {"only_in_a", comparison.only_in_a},
            {"only_in_b", comparison.only_in_b}};
}

std::string compare_json(const std::vector<Comparison>& comparisons) {
    if (comparisons.size() == 1) return json_text(document("compare", to_json(comparisons.front())), 1) + "\n";
    Json all = Json::array();
    for (const Comparison& comparison : comparisons) all.push_back(to_json(comparison));
    return json_text(document("compare", {{"comparisons", std::move(all)}}), 1) + "\n";
}

std::string compare_csv(const std::vector<Comparison>& comparisons) {
    const std::vector<std::string> names = short_names(comparisons);
    const auto figure = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; };
    const auto median = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
    std::string text = csv_line(
        {"a", "b", "workload", "name", "unit", "better", "median_a", "median_b", "ratio", "low", "high", "verdict"});
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        for (const Compared& one : comparisons[i].measurements) {
            text += csv_line({names[0], names[i + 1], one.workload, one.name, one.unit,
                              one.better == Better::kHigher ? "higher" : "lower", median(one.median_a),
                              median(one.median_b), figure(one.ratio.estimate), figure(one.ratio.low),
                              figure(one.ratio.high), to_string(one.verdict)});
        }
    }
    return text;
}

}  // namespace gpuminer::bench
