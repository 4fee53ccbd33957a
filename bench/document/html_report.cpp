// Report as a web page: the embedded page with the document as JSON.
#include "bench/document/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/document/compare.hpp"
#include "bench/document/statistics.hpp"
#include "bench/report_page.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

/// JSON for the inside of a <script> element, where a parser of HTML looks for "</script" and "<!--": with no "<" at
/// all. (In JSON one can only be within a string, and there it may be written as an escape.) What is invisible is
/// replaced, as it would be as invisible in the page.
std::string json_for_html(const Json& json) {
    std::string text;
    for (const char c : printable(json.dump(-1, ' ', false, Json::error_handler_t::replace))) {
        if (c == '<') {
            text += "\\u003c";
        } else {
            text += c;
        }
    }
    return text;
}

std::int64_t whole(double value) { return std::llround(std::clamp(value, -1e15, 1e15)); }

/// Rounds as short as the plots allow, since a long run has tens of thousands: [ms since the round before, distance
/// from the median in 1/100,000 of it, …]. report.js expands them.
Json short_rounds(const std::vector<Round>& rounds, double median) {
    Json list = Json::array();
    std::int64_t before = 0;
    for (const Round& round : rounds) {
        const std::int64_t at = whole(round.at * 1e3);
        list.push_back(at - before);
        list.push_back(whole((round.value / median - 1) * 1e5));
        before = at;
    }
    return list;
}

Json page_json(const Document& document) {
    Json json = to_json(document);
    for (std::size_t i = 0; i < document.measurements.size(); ++i) {
        const Measurement& measurement = document.measurements[i];
        if (measurement.rounds.empty()) continue;
        const double median = spread_of(measurement.values()).median;
        if (median > 0) json["measurements"][i]["rounds"] = short_rounds(measurement.rounds, median);
    }
    return json;
}

/// The page shows no measurement of the baseline but through the comparison.
Json without_measurements(const Document& document) {
    Json json = to_json(document);
    json.erase("measurements");
    return json;
}

Json without_rounds(const Document& document) {
    Json json = to_json(document);
    for (Json& measurement : json["measurements"]) measurement.erase("rounds");
    return json;
}

std::string page_with(const Json& data) {
    constexpr std::string_view kPlace = "@data@";
    std::string page;
    for (const std::string_view piece : kReportPageText) page += piece;
    const std::size_t place = page.find(kPlace);
    assert(place != std::string::npos);
    return page.replace(place, kPlace.size(), json_for_html(data));
}

}  // namespace

std::string html_report(const Document& document, const Document* baseline) {
    Json data{{"document", page_json(document)}, {"baseline", nullptr}, {"comparison", nullptr}};
    if (baseline != nullptr) {  // named by what they are: names of files are the user's
        data["baseline"] = without_measurements(*baseline);
        data["comparison"] = to_json(compare(*baseline, document, "the baseline", "this run"));
    }
    return page_with(data);
}

std::string comparison_report(std::span<const Document> documents) {
    if (documents.size() == 2) return html_report(documents[1], &documents[0]);
    Json runs = Json::array(), comparisons = Json::array();
    for (const Document& document : documents) {
        runs.push_back(without_rounds(document));
        if (runs.size() > 1)
            comparisons.push_back(
                to_json(compare(documents.front(), document, "run 1", fmt::format("run {}", runs.size()))));
    }
    return page_with({{"documents", std::move(runs)}, {"comparisons", std::move(comparisons)}});
}

}  // namespace gpuminer::bench
