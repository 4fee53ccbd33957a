// The commands bench and compare.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/document/bare_metal.hpp"
#include "bench/document/compare.hpp"
#include "bench/document/figures.hpp"
#include "bench/document/html_report.hpp"
#include "bench/document/statistics.hpp"
#include "bench/document/submission.hpp"
#include "bench/document/tables.hpp"
#include "bench/run.hpp"
#include "cli/commands.hpp"
#include "cli/options/header_argument.hpp"
#include "cli/terminal/bench_progress.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "gpuminer_build_info.hpp"
#include "host/block/checker.hpp"
#include "host/block/header.hpp"
#include "host/errors.hpp"
#include "host/text/text.hpp"
#include "net/bitcoin/block_view.hpp"

namespace gpuminer {
namespace {

/// Empty: it is not asked for.
std::optional<OutputFile> output_file(const std::optional<std::string>& path) {
    return path ? std::optional<OutputFile>(*path) : std::nullopt;
}

/// Of a file in any form that `verify` takes.
bench::BlockTransactions read_block(const std::string& file) {
    const std::string source = "@" + file;
    const HeaderInput input = read_headers(source, std::cin, kSha256d, HeaderForms::kBlock).front();
    try {
        (void)net::view_block(input.header, input.transactions);
        bench::BlockTransactions block{"block " + double_sha256(input.header.bytes).hex(), {}, {}};
        for (const net::TransactionParts& parts : net::read_transactions(input.transactions)) {
            block.without_witness.push_back(parts.without_witness());
            block.whole.emplace_back(parts.whole.begin(), parts.whole.end());
        }
        return block;
    } catch (const InputError& error) {
        throw InputError(source_of_header(source) + ": " + error.what());
    }
}

bench::Options bench_options(const Options& options) {
    bench::Options result{.devices = options.devices,
                          .seconds = options.bench.seconds,
                          .rounds = options.bench.rounds,
                          .budget = options.bench.budget,
                          .label = options.bench.label,
                          .search = options.request,
                          .command = options.command_line,
                          .columns = columns_of(kStandardOutput)};
    if (options.bench.against_file) result.against = bench::read_bare_metal_report(*options.bench.against_file);
    if (options.bench.block_file) result.block = read_block(*options.bench.block_file);
    if (!options.operands.empty()) result.workloads = options.operands;
    const HeaderInput input = read_header_of(options);
    result.search.header = input.header;
    result.search.target = target_of(options, input);
    return result;
}

bool writes_files(const BenchOptions& bench) {
    return bench.json_file || bench.report_file || bench.csv_file || bench.markdown_file || bench.submission_file;
}

/// Text for people as each workload ends, unless the document goes to standard output. `unread`: whether nobody took
/// it; then the run goes on for the files that are to be written, and ends where there are none.
bench::Document measure(const Options& options, const bench::Options& what, SignalThread& signals, bool& unread) {
    BenchProgress progress(options.log.quiet, options.terminal);
    std::stop_source stop;
    const SignalThread::Session session(
        signals,
        {.stop = [&] { stop.request_stop(); }, .statistics = [&] { progress.statistics(); }, .pause_or_resume = [] {}});
    const bench::RunActions actions{
        .progress = [&](double done, const std::string& text) { progress.update(done, text); },
        .note = [](const std::string& sentence) { log_info(sentence); },
        .warning = [](const std::string& sentence) { log_warning(sentence); },
        .finished =
            [&](const bench::Workload& workload, const std::vector<bench::Measurement>& rows, const std::string& text) {
                const auto measured = [](const bench::Measurement& row) { return !row.rounds.empty(); };
                if (options.json || unread || std::ranges::none_of(rows, measured)) return;
                const BenchProgress::Hiding no_bar(progress);
                try {
                    Output output;
                    output.write(bench::measurements_text(workload.name, rows, kCycleCounter.short_units,
                                                          output.columns(), options.log.debug));
                    if (!text.empty()) output.write("\n" + text);
                    output.write("\n");
                    output.finish();
                } catch (const ClosedPipeError&) {
                    unread = true;
                    if (!writes_files(options.bench)) stop.request_stop();
                }
            },
    };
    log_info(fmt::format("gpuminer {} ({}): bench", kVersion, kCommit));
    return bench::run(what, built_in_backends(), stop.get_token(), actions);
}

/// For --fail-below: what does not pass, a sentence each. What cannot be judged does not pass either.
std::vector<std::string> objections(const bench::Comparison& comparison, double percent) {
    std::vector<std::string> sentences = comparison.alarms;
    for (const bench::Compared& row : bench::fails_below(comparison, percent)) {
        sentences.push_back(fmt::format("{}/{}: expected at least {:g} % of {}'s performance, measured {:.1f} %",
                                        row.workload, row.name, percent, comparison.a, 100 * row.performance.estimate));
    }
    for (const bench::Compared& row : comparison.measurements) {
        const bool looks_slower = 100 * row.performance.estimate < percent;
        const bool measured = row.median_a.value_or(0) > 0 && row.median_b.value_or(0) > 0;
        if (row.verdict != bench::ComparisonVerdict::kCannotTell || (measured && !looks_slower)) continue;
        sentences.push_back(fmt::format("{}/{}: too few rounds to tell whether it is slower", row.workload, row.name));
    }
    if (comparison.measurements.empty()) sentences.push_back(fmt::format("no row in common with {}", comparison.a));
    return sentences;
}

int judge(const bench::Comparison& comparison, double percent) {
    const std::vector<std::string> sentences = objections(comparison, percent);
    for (const std::string& sentence : sentences) log_error(sentence);
    return sentences.empty() ? kSuccess : kNotFound;
}

/// The row that --expect-min means; null: it was not measured.
const bench::Measurement* expected_row(const bench::Document& document, const std::string& name) {
    if (!name.empty()) {
        const std::size_t slash = std::min(name.find('/'), name.size());
        return document.find(name.substr(0, slash), name.substr(std::min(slash + 1, name.size())));
    }
    const bench::Measurement* widest = nullptr;  // the subjects grow: one thread, all threads, …, all devices
    for (const bench::Measurement& row : document.measurements) {
        if (row.workload == "scan" && row.name.ends_with(" fixed")) widest = &row;
    }
    const bench::Measurement* const all = document.find("scan", "all fixed");
    return all != nullptr ? all : widest;
}

bool is_chosen(const std::string& workload, const std::vector<std::string>& chosen) {
    return std::ranges::any_of(chosen, [&](const std::string& word) {
        return word == workload || (word == bench::kAllWorkloads && bench::is_workload(workload));
    });
}

/// Before anything is measured, as far as that is known by then.
void require_expected_workloads(const BenchOptions& bench, const std::vector<std::string>& chosen) {
    if (bench.submission_file && !is_chosen("scan", chosen))
        throw InputError("--submit: expected scan among the workloads, whose rates it has");
    for (const Expectation& expectation : bench.expected) {
        const std::string workload =
            expectation.name.empty() ? "scan" : expectation.name.substr(0, expectation.name.find('/'));
        if (is_chosen(workload, chosen)) continue;
        throw InputError(
            fmt::format("--expect-min: expected a row of a measured workload, got one of {}", quoted_text(workload)));
    }
}

/// Two of them would be one and the same file.
void require_different(std::initializer_list<std::optional<std::string>> files) {
    std::vector<std::filesystem::path> seen;
    for (const auto& file : files) {
        if (!file) continue;
        std::error_code ignored;
        const std::filesystem::path path = std::filesystem::weakly_canonical(*file, ignored);
        if (std::filesystem::is_other(path, ignored)) continue;  // /dev/null
        if (std::ranges::find(seen, path) != seen.end())
            throw InputError(fmt::format("expected different files, got {} twice", quoted_text(*file, 100)));
        seen.push_back(path);
    }
}

/// What --expect-min and --fail-below ask for and the document does not show; prints a sentence for each.
int judge(const BenchOptions& options, const bench::Document& document,
          const std::optional<bench::Comparison>& comparison) {
    int code = kSuccess;
    for (const Expectation& expectation : options.expected) {
        const bench::Measurement* const row = expected_row(document, expectation.name);
        if (row == nullptr) {
            log_error(fmt::format("--expect-min: expected the name of a measured row, such as \"{}/{}\", got {}",
                                  document.measurements.front().workload, document.measurements.front().name,
                                  quoted_text(expectation.name)));
            code = kNotFound;
            continue;
        }
        if (row->rounds.empty()) continue;  // interrupted before
        const double value = bench::median(row->values());
        const bool higher = row->better == bench::Better::kHigher;
        if (higher ? value >= expectation.value : value <= expectation.value) continue;
        const bench::Scale scale = bench::scale_of(expectation.value, row->unit);
        log_error(fmt::format("{}/{}: expected at {} {} {}, measured {}", row->workload, row->name,
                              higher ? "least" : "most", bench::figure_text(expectation.value / scale.divisor),
                              scale.unit, bench::figure_text(value / scale.divisor)));
        code = kNotFound;
    }
    return comparison && options.fail_below ? std::max(code, judge(*comparison, *options.fail_below)) : code;
}

}  // namespace

int run_bench(const Options& options, SignalThread& signals, const std::function<bench::Ranks&()>& begin) {
    const BenchOptions& bench = options.bench;
    const std::optional<bench::Document> baseline =
        bench.baseline_file ? std::optional(bench::read_document(*bench.baseline_file)) : std::nullopt;
    bench::Options what = bench_options(options);
    bench::require_workloads(what.workloads, *options.devices.algorithm);
    require_expected_workloads(bench, what.workloads);
    require_different({bench.json_file, bench.report_file, bench.csv_file, bench.markdown_file, bench.submission_file,
                       bench.baseline_file});
    // What cannot be written is refused now, not after minutes of measuring.
    auto json_file = output_file(bench.json_file), csv_file = output_file(bench.csv_file),
         markdown_file = output_file(bench.markdown_file), report_file = output_file(bench.report_file),
         submission_file = output_file(bench.submission_file);
    signals.expect_session();
    if (begin) what.ranks = &begin();
    bool unread = false;
    const bench::Document document = measure(options, what, signals, unread);

    const auto comparison =
        baseline ? std::optional(bench::compare(*baseline, document, *bench.baseline_file, "this run")) : std::nullopt;
    if (json_file) json_file->write(bench::dump(document));
    if (csv_file) csv_file->write(bench::csv(document));
    if (markdown_file) markdown_file->write(bench::markdown(document));
    if (report_file) report_file->write(bench::html_report(document, baseline ? &*baseline : nullptr));
    if (submission_file) {
        submission_file->write(bench::submission(document));
        log_info(fmt::format("nothing was sent: {} is yours to read, and to pass on",
                             quoted_text(*bench.submission_file, 100)));
    }
    if (unread) throw ClosedPipeError();
    Output output;
    if (options.json) {
        output.write(bench::dump(document));
    } else if (comparison) {
        output.write(bench::compare_text(*comparison, output.columns(), options.log.debug));
    }
    output.finish();
    for (const std::string& failure : document.failures) log_error(failure);
    for (const std::string& warning : document.warnings) log_warning(warning);  // again, below the figures
    if (document.ending == "interrupted") log_warning("interrupted: the figures are those of the completed rounds");
    if (document.ending == "interrupted") return kStoppedBySignal + signals.stop_signal();
    return document.ending == "finished" ? judge(bench, document, comparison) : kDeviceFailed;
}

int run_compare(const Options& options) {
    const BenchOptions& bench = options.bench;
    const std::vector<std::string>& files = options.operands;
    if (files.size() < 2) {
        throw InputError(fmt::format("expected two or more documents of `gpuminer bench --json` to compare, got {}",
                                     files.empty() ? "none" : "one"));
    }
    require_different({bench.report_file, bench.csv_file, bench.markdown_file});
    std::vector<bench::Document> documents;
    std::vector<bench::Comparison> comparisons;
    for (const std::string& file : files) {
        documents.push_back(bench::read_document(file));
        if (documents.size() > 1)
            comparisons.push_back(bench::compare(documents.front(), documents.back(), files.front(), file));
    }
    if (bench.report_file) OutputFile(*bench.report_file).write(bench::comparison_report(documents));
    if (bench.csv_file) OutputFile(*bench.csv_file).write(bench::compare_csv(comparisons));
    if (bench.markdown_file) {
        std::string text = comparisons.size() > 1 ? bench::side_by_side_markdown(comparisons) : "";
        for (const bench::Comparison& comparison : comparisons) text += bench::compare_markdown(comparison);
        OutputFile(*bench.markdown_file).write(text);
    }
    Output output;
    if (options.json) output.write(bench::compare_json(comparisons));
    if (!options.json && comparisons.size() > 1) output.write(bench::side_by_side_text(comparisons, output.columns()));
    for (const bench::Comparison& comparison : comparisons) {
        if (options.json) break;
        output.write((&comparison == &comparisons.front() ? "" : "\n") +
                     bench::compare_text(comparison, output.columns(), options.log.debug));
    }
    output.finish();
    int code = kSuccess;
    for (const bench::Comparison& comparison : comparisons) {
        if (bench.fail_below) code = std::max(code, judge(comparison, *bench.fail_below));
    }
    return code;
}

}  // namespace gpuminer
