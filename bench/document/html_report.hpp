// Report of a run as a self-contained web page.
#pragma once

#include <span>
#include <string>

#include "bench/document/document.hpp"

namespace gpuminer::bench {

/// HTML, UTF-8; rounds in it to 1 ms and 1/100,000 of their median. `baseline`: null, or what the document is compared
/// with. Texts in them may be anything: they cannot become markup. Throws InputError if the two are not of one
/// algorithm.
[[nodiscard]] std::string html_report(const Document& document, const Document* baseline = nullptr);

/// The same of runs compared, at least two: two as a run with its baseline, which is the first; more side by side,
/// without their rounds.
[[nodiscard]] std::string comparison_report(std::span<const Document> documents);

}  // namespace gpuminer::bench
