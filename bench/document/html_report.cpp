#include "bench/document/html_report.hpp"

#include <cassert>
#include <string_view>

#include "bench/report_page.hpp"
#include "host/block/json_text.hpp"

namespace gpuminer::bench {
namespace {

/// JSON for the inside of a <script> element, where a parser of HTML looks for "</script" and "<!--": with no "<" at
/// all. (In JSON one can only be within a string, and there it may be written as an escape.)
std::string json_for_html(const Json& json) {
    std::string text;
    for (const char c : json_text(json)) {
        if (c == '<') {
            text += "\\u003c";
        } else {
            text += c;
        }
    }
    return text;
}

}  // namespace

std::string html_report(const Document& document, const Document* baseline, const Json& comparison) {
    constexpr std::string_view kPlace = "@data@";
    std::string page;
    for (const std::string_view piece : kReportPageText) page += piece;
    const std::size_t place = page.find(kPlace);
    assert(place != std::string::npos);
    return page.replace(place, kPlace.size(),
                        json_for_html({{"document", to_json(document)},
                                       {"baseline", baseline != nullptr ? to_json(*baseline) : Json(nullptr)},
                                       {"comparison", comparison}}));
}

}  // namespace gpuminer::bench
