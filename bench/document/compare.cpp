// Comparison of two documents.
#include "bench/document/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "host/errors.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

std::string fact(const Json& facts, const char* name) {
    const auto found = facts.find(name);
    return found != facts.end() && found->is_string() ? found->get<std::string>() : "unknown";
}

std::string description_of(const Document& document) {
    const std::string label = document.label.empty() ? "" : fmt::format("{}, ", document.label);
    return fmt::format("{}gpuminer {} (commit {}), {}, {}, {}", label, fact(document.program, "version"),
                       fact(document.program, "commit"), fact(document.machine, "system"),
                       fact(document.machine, "cpu"), document.time);
}

std::vector<std::string> alarms_of(const Document& document, const std::string& name) {
    std::vector<std::string> alarms;
    for (const std::string& failure : document.failures)
        alarms.push_back(fmt::format("{} is not verified, its figures mean nothing: {}", name, failure));
    if (alarms.empty() && document.ending == "failed")
        alarms.push_back(fmt::format("{} is of a run that could not go on, and may lack rounds and rows", name));
    return alarms;
}

/// 1 / 0 is infinite, and the other way round.
double inverse(double value) {
    if (value == 0) return std::numeric_limits<double>::infinity();
    return 1 / value;
}

ComparisonVerdict verdict_on(const Ratio& performance) {
    if (performance.low == 0 && performance.high == std::numeric_limits<double>::infinity())
        return ComparisonVerdict::kCannotTell;
    if (!performance.significant()) return ComparisonVerdict::kNoise;
    return performance.low > 1 ? ComparisonVerdict::kFaster : ComparisonVerdict::kSlower;
}

std::optional<double> median_of(const Measurement& measurement) {
    if (measurement.rounds.empty()) return std::nullopt;
    return median(measurement.values());
}

/// A document's measurements by workload and name.
using Index = std::map<std::pair<std::string_view, std::string_view>, const Measurement*>;

Index index_of(const Document& document) {
    Index index;
    for (const Measurement& one : document.measurements) index.try_emplace({one.workload, one.name}, &one);
    return index;
}

Compared compare(const Measurement& a, const Measurement& b) {
    Compared compared{a.workload, a.name, a.unit, a.better, median_of(a), median_of(b), {}, {}, {}};
    compared.ratio = ratio_of(a.rounds, b.rounds);
    const Ratio& ratio = compared.ratio;
    compared.performance =
        a.better == Better::kHigher ? ratio : Ratio{inverse(ratio.estimate), inverse(ratio.high), inverse(ratio.low)};
    compared.verdict = verdict_on(compared.performance);
    return compared;
}

}  // namespace

const char* to_string(ComparisonVerdict verdict) {
    switch (verdict) {
        case ComparisonVerdict::kFaster: return "faster";
        case ComparisonVerdict::kSlower: return "slower";
        case ComparisonVerdict::kNoise: return "noise";
        case ComparisonVerdict::kCannotTell: break;
    }
    return "cannot tell";
}

Comparison compare(const Document& a, const Document& b, const std::string& name_a, const std::string& name_b) {
    if (a.algorithm != b.algorithm)
        throw InputError(fmt::format("expected documents of the same algorithm, got {} in {} and {} in {}",
                                     quoted_text(a.algorithm), quoted_text(name_a, 100), quoted_text(b.algorithm),
                                     quoted_text(name_b, 100)));
    Comparison comparison{
        name_a, name_b, description_of(a), description_of(b), alarms_of(a, name_a), differences_of(a, b), {}, {}, {}};
    std::ranges::move(alarms_of(b, name_b), std::back_inserter(comparison.alarms));
    const Index of_a = index_of(a), of_b = index_of(b);
    for (const Measurement& one : a.measurements) {
        const auto found = of_b.find({one.workload, one.name});
        const Measurement* const other = found != of_b.end() ? found->second : nullptr;
        if (other == nullptr) {
            comparison.only_in_a.push_back(one.workload + ": " + one.name);
        } else if (other->unit != one.unit || other->better != one.better) {
            comparison.differences.push_back(
                fmt::format("{}: {} is in {} ({} is better) in A, in {} ({}) in B: not compared", one.workload,
                            one.name, one.unit, one.better == Better::kHigher ? "more" : "less", other->unit,
                            other->better == Better::kHigher ? "more" : "less"));
        } else {
            comparison.measurements.push_back(compare(one, *other));
        }
    }
    for (const Measurement& one : b.measurements) {
        if (!of_a.contains({one.workload, one.name})) comparison.only_in_b.push_back(one.workload + ": " + one.name);
    }
    return comparison;
}

std::vector<Compared> fails_below(const Comparison& comparison, double percent) {
    std::vector<Compared> failed;
    std::ranges::copy_if(comparison.measurements, std::back_inserter(failed), [&](const Compared& compared) {
        return compared.verdict == ComparisonVerdict::kSlower && 100 * compared.performance.estimate < percent;
    });
    return failed;
}

}  // namespace gpuminer::bench
