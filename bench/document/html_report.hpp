// Report of a run as a self-contained web page.
#pragma once

#include <string>

#include "bench/document/document.hpp"

namespace gpuminer::bench {

/// HTML, UTF-8; rounds in it to 1 ms and 1/100,000 of their median. `baseline`: null without one; `comparison`:
/// compare_json() of the baseline (A) and the document (B), or null. Texts in them may be anything: they cannot become
/// markup.
[[nodiscard]] std::string html_report(const Document& document, const Document* baseline = nullptr,
                                      const Json& comparison = nullptr);

}  // namespace gpuminer::bench
