// Output of a document as text, Markdown and CSV.
#include "bench/document/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "bench/document/figures.hpp"
#include "bench/document/statistics.hpp"
#include "host/text/format.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

bool is_share(const std::string& detail) { return detail.starts_with("share_"); }

/// "cycles_per_hash" is "cycles/hash", or "ticks/hash"; "share_of_limit", "of limit"; "power_w", "power (W)".
std::string heading_of(std::string detail, const std::string& counted_units) {
    constexpr std::array<std::pair<const char*, const char*>, 4> kUnits{
        {{"_w", "W"}, {"_c", "°C"}, {"_ms", "ms"}, {"_hz", "Hz"}}};
    if (detail == "joules_per_gh") return "J/GH";
    if (is_share(detail)) detail.erase(0, std::string_view("share_").size());
    std::string unit;
    for (const auto& [ending, text] : kUnits) {
        if (!detail.ends_with(ending)) continue;
        detail.resize(detail.size() - std::string_view(ending).size());
        unit = fmt::format(" ({})", text);
    }
    detail = replaced(detail, "cycles", counted_units);
    return replaced(replaced(detail, "_per_", "/"), "_", " ") + unit;
}

/// Longest text of a table's cell, in characters; longer ones get a line of their own below the table.
bool is_remark(const Json& value) {
    constexpr std::size_t kShort = 20;
    return value.is_string() && value.get_ref<const std::string&>().size() > kShort;
}

/// Counts up to a million in full, other figures in significant digits.
std::string number_text(const Json& number) {
    constexpr double kMillion = 1e6;
    const double value = number.get<double>();
    if (std::abs(value) > kMillion) return prefixed_text(value);
    const bool count = number.is_number_integer() && value >= 0;
    return count ? grouped(number.get<std::uint64_t>()) : figure_text(value);
}

std::string detail_text(const Measurement& measurement, const std::string& detail) {
    const auto found = measurement.details.find(detail);
    if (found == measurement.details.end() || is_remark(*found)) return kUnknown;
    if (found->is_string()) return found->get<std::string>();
    if (!found->is_number()) return kUnknown;
    if (is_share(detail)) return fmt::format("{:.1f} %", 100 * found->get<double>());
    return number_text(*found);
}

/// Names of details that are columns: figures and short texts. What each row's name says already is not one ("isa").
std::vector<std::string> column_details(const std::vector<Measurement>& measurements) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const Measurement& measurement : measurements) {
        for (const auto& [name, value] : measurement.details.items()) {
            if (value.is_number()) add(name);
            if (!value.is_string() || is_remark(value)) continue;
            if (measurement.name.find(value.get_ref<const std::string&>()) == std::string::npos) add(name);
        }
    }
    return names;
}

/// Which columns a table has beyond those of every table: none that would say the same in each row.
struct Columns {
    explicit Columns(const std::vector<Measurement>& all)
        : rounds(std::ranges::any_of(all, [&](const auto& m) { return m.rounds.size() != all[0].rounds.size(); })),
          better(std::ranges::any_of(all, [&](const auto& m) { return m.better != all[0].better; })),
          details(column_details(all)) {}

    bool rounds;
    bool drift = true;
    bool better;
    std::vector<std::string> details;
};

std::vector<std::string> headings_of(const Columns& columns, const std::string& counted_units) {
    std::vector<std::string> headings{"", "median", "(10 %–90 %)", "unit"};
    if (columns.rounds) headings.emplace_back("rounds");
    if (columns.drift) headings.emplace_back("last/first");
    if (columns.better) headings.emplace_back("better");
    for (const std::string& detail : columns.details) headings.push_back(heading_of(detail, counted_units));
    return headings;
}

/// Median, spread, unit.
std::vector<std::string> figures_of(const Measurement& measurement) {
    if (measurement.rounds.empty()) return {kUnknown, kUnknown, measurement.unit};
    const Spread spread = spread_of(measurement.values());
    const Scale scale = scale_of(spread.median, measurement.unit);
    return {figure_text(spread.median / scale.divisor),
            fmt::format("({}–{})", figure_text(spread.low / scale.divisor), figure_text(spread.high / scale.divisor)),
            scale.unit};
}

std::vector<std::string> row_of(const Measurement& measurement, const Columns& columns) {
    std::vector<std::string> cells{measurement.name};
    std::ranges::move(figures_of(measurement), std::back_inserter(cells));
    if (columns.rounds) cells.push_back(std::to_string(measurement.rounds.size()));
    const bool known = !measurement.rounds.empty();
    if (columns.drift) cells.push_back(known ? fmt::format("{:.3f}", drift_of(measurement.rounds).ratio()) : kUnknown);
    if (columns.better) cells.emplace_back(measurement.better == Better::kHigher ? "more" : "less");
    for (const std::string& detail : columns.details) cells.push_back(detail_text(measurement, detail));
    return cells;
}

Table table_of(const std::vector<Measurement>& measurements, const std::string& counted_units, const Columns& columns) {
    Table table{headings_of(columns, counted_units), {}};
    for (const Measurement& measurement : measurements) table.rows.push_back(row_of(measurement, columns));
    return table;
}

/// Details for who works on kernels.
bool is_of_kernels(const std::string& detail) {
    constexpr std::array kOthers{"limit", "rate_with_host", "hits_compared", "versions", "per_round"};
    return detail.find("cycles") != std::string::npos || detail.find("operations") != std::string::npos ||
           std::ranges::any_of(kOthers, [&](std::string_view other) { return detail == other; });
}

/// What a user's table has, of a usual terminal's width: the last columns give way.
Columns usual_columns(const std::vector<Measurement>& measurements, const std::string& counted_units) {
    Columns columns(measurements);
    std::erase_if(columns.details, is_of_kernels);
    const auto fits = [&] { return fits_usual_terminal(table_of(measurements, counted_units, columns)); };
    while (!columns.details.empty() && !fits()) columns.details.pop_back();
    columns.drift = fits();
    return columns;
}

std::string explanation(const std::vector<Measurement>& measurements, const Columns& columns) {
    const auto [least, most] = std::ranges::minmax_element(
        measurements, {}, [](const Measurement& measurement) { return measurement.rounds.size(); });
    const std::size_t from = least->rounds.size();
    const std::size_t to = most->rounds.size();
    std::string text = from == to ? fmt::format("Median of {} round{}", to, to == 1 ? "" : "s")
                                  : fmt::format("Median of {} to {} rounds", from, to);
    text += "; in brackets the 10th and 90th percentile.\n";
    if (columns.drift) text += "last/first: the run's end over its beginning. ";
    if (!columns.better)
        text += measurements.front().better == Better::kHigher ? "More is better. " : "Less is better. ";
    if (columns.details.size() < Columns(measurements).details.size()) text += "-D: all columns. ";
    text.pop_back();  // the blank, or the end of the line above
    return text + "\n";
}

/// "cpu:avx2#0: compared with …"; `line` makes a line of each.
template <typename Line>
std::string remarks(const std::vector<Measurement>& measurements, const Line& line) {
    std::string text;
    for (const Measurement& measurement : measurements) {
        for (const auto& [name, value] : measurement.details.items()) {
            if (!is_remark(value)) continue;
            const std::string label = name == "remark" || name == "note" ? "" : replaced(name, "_", " ") + ": ";
            text += line(fmt::format("{}: {}{}", measurement.name, label, value.template get<std::string>()));
        }
    }
    return text;
}

std::string bullet(const std::string& text) { return "- " + markdown_escaped(text) + "\n"; }

/// Numbers, texts and truths as people read them; empty for what is unknown or has parts.
std::string fact_text(const Json& facts, const char* name) {
    const auto found = facts.find(name);
    if (found == facts.end() || found->is_null() || found->is_structured()) return "";
    if (found->is_string()) return found->get<std::string>();
    if (found->is_boolean()) return found->get<bool>() ? "yes" : "no";
    return found->is_number_integer() ? number_text(*found) : fmt::format("{:.4g}", found->get<double>());
}

/// "Intel Xeon (2 hardware threads, microcode 0x1, …)": the first is said as it is, the others with their names.
std::string facts_text(const Json& facts, const char* first, const std::vector<const char*>& others) {
    std::string text;
    for (const char* name : others) {
        const std::string fact = fact_text(facts, name);
        if (!fact.empty()) text += (text.empty() ? "" : ", ") + replaced(name, "_", " ") + " " + fact;
    }
    const std::string known = fact_text(facts, first);
    const std::string& start = known.empty() ? "unknown" : known;
    return text.empty() ? start : fmt::format("{} ({})", start, text);
}

/// Inline code. The fence is longer than any run of backticks within.
std::string code(const std::string& text) {
    std::string fence = "`";
    while (text.find(fence) != std::string::npos) fence += '`';
    return fence + " " + printable(text) + " " + fence;
}

std::string context(const Document& document) {
    std::string text = bullet("CPU: " + facts_text(document.machine, "cpu",
                                                   {"hardware_threads", "microcode", "governor", "turbo",
                                                    "virtual_machine", "scheduling", "load", "busy_threads"}));
    text += bullet("System: " + facts_text(document.machine, "system", {}));
    for (const Json& device : document.devices) {
        if (fact_text(device, "backend") == "cpu") continue;  // as the line above
        text += bullet("Device " + fact_text(device, "name") + ": " +
                       facts_text(device, "model", {"driver", "api", "units", "clock_mhz", "software"}));
    }
    text += bullet("Program: gpuminer " +
                   facts_text(document.program, "version", {"commit", "compiler", "flags", "kernel_flags"}));
    text += bullet(fmt::format("Run: {}, {:.0f} s, {}", document.time, document.seconds, document.ending));
    return text + "- Command: " + code(document.command) + "\n";
}

/// RFC 4180.
std::string csv_field(const std::string& any) {
    std::string text = printable_lines(any);
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    return "\"" + replaced(text, "\"", "\"\"") + "\"";
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line = csv_field(fields.front());
    for (std::size_t i = 1; i < fields.size(); ++i) line += "," + csv_field(fields[i]);
    return line + "\r\n";
}

std::string measurements_text(const std::string& title, const std::vector<Measurement>& measurements,
                              const std::string& counted_units, std::size_t columns, bool detailed) {
    std::string text = printable(title) + "\n";
    if (measurements.empty()) return text + "Nothing was measured.\n";
    const Columns shown = detailed ? Columns(measurements) : usual_columns(measurements, counted_units);
    text += explanation(measurements, shown) + "\n" +
            aligned_text(table_of(measurements, counted_units, shown), {.columns = columns, .fold_headings = true});
    return text + remarks(measurements, [](const std::string& remark) { return printable(remark) + "\n"; });
}

std::string markdown(const Document& document) {
    std::string text = "# gpuminer bench\n\n";
    if (!document.label.empty()) text += "**" + markdown_escaped(document.label) + "**\n\n";
    for (const std::string& failure : document.failures)
        text += "**Not verified:** " + markdown_escaped(failure) + "\n\n";
    for (const std::string& warning : document.warnings) text += "**WARNING:** " + markdown_escaped(warning) + "\n\n";
    text += context(document);
    std::vector<std::string> done;
    for (const Measurement& one : document.measurements) {
        if (std::ranges::find(done, one.workload) != done.end()) continue;
        done.push_back(one.workload);
        std::vector<Measurement> measurements;
        std::ranges::copy_if(document.measurements, std::back_inserter(measurements),
                             [&](const Measurement& other) { return other.workload == one.workload; });
        const Columns columns(measurements);
        text += "\n## " + markdown_escaped(one.workload) + "\n\n" + explanation(measurements, columns) + "\n" +
                markdown_text(table_of(measurements, document.counted_units(), columns));
        const std::string list = remarks(measurements, bullet);
        if (!list.empty()) text += "\n" + list;
    }
    if (!document.notes.empty()) text += "\n## Notes\n\n";
    for (const std::string& note : document.notes) text += bullet(note);
    return text;
}

std::string csv(const Document& document) {
    const std::string cpu = fact_text(document.machine, "cpu");
    const std::string commit = fact_text(document.program, "commit");
    std::string text =
        csv_line({"time", "commit", "cpu", "workload", "name", "unit", "better", "round", "at_seconds", "value"});
    for (const Measurement& one : document.measurements) {
        for (std::size_t i = 0; i < one.rounds.size(); ++i) {
            text += csv_line({document.time, commit, cpu, one.workload, one.name, one.unit,
                              one.better == Better::kHigher ? "higher" : "lower", std::to_string(i + 1),
                              fmt::format("{}", one.rounds[i].at), fmt::format("{}", one.rounds[i].value)});
        }
    }
    return text;
}

}  // namespace gpuminer::bench
