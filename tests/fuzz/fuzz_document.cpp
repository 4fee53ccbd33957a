// Fuzzer of documents of `gpuminer bench`. Each is understood, and then the same when it is written again and like
// itself when it is compared, or refused with a plain sentence.
#include <algorithm>
#include <cstdint>
#include <string>

#include "bench/document/compare.hpp"
#include "bench/document/document.hpp"
#include "bench/document/html_report.hpp"
#include "bench/document/tables.hpp"
#include "host/errors.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using namespace gpuminer::bench;
using fuzz::demand;

namespace {

void check_page(const std::string& text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        demand((byte >= 0x20 && byte != 0x7f) || c == '\n', "no control character reaches a terminal");
    }
}

/// HTML (RFC 8259 strings within a script element): nothing of the document ends the element.
void check_report(const std::string& page) {
    const std::string empty = html_report({});
    demand(std::count(page.begin(), page.end(), '<') == std::count(empty.begin(), empty.end(), '<'),
           "a report has no tags but its own");
}

void check(const Document& document) {
    const std::string text = dump(document);
    const Document again = document_from_json(text, "again");
    demand(dump(again) == text, "a document is the same when it is written again");

    const Comparison comparison = compare(document, again);
    demand(comparison.measurements.size() == document.measurements.size(), "each measurement is compared");
    demand(comparison.only_in_a.empty() && comparison.only_in_b.empty(), "none is missing");
    for (const Compared& one : comparison.measurements) {
        demand(one.verdict != ComparisonVerdict::kFaster && one.verdict != ComparisonVerdict::kSlower,
               "a document is neither faster nor slower than itself");
    }
    check_page(compare_text(comparison));
    check_page(compare_markdown(comparison));
    demand(!compare_json({comparison}).empty(), "a comparison has a document");
    check_page(markdown(document));
    demand(!csv(document).empty(), "a document has a table");
    check_report(html_report(document, &again));
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        check(document_from_json(text, "'a.json'"));
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
    return 0;
}
