// Report of a run as a self-contained web page.
#pragma once

#include <string>

#include "bench/document/document.hpp"

namespace gpuminer::bench {

/// HTML, UTF-8; rounds in it to 1 ms and 1/100,000 of their median. `baseline`: null, or what the document is compared
/// with. Texts in them may be anything: they cannot become markup. Throws InputError if the two are not of one
/// algorithm.
[[nodiscard]] std::string html_report(const Document& document, const Document* baseline = nullptr);

}  // namespace gpuminer::bench
