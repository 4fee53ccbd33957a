// Lessons: text for a terminal, and pages.
#include "cli/explain/lesson.hpp"

#include <sstream>
#include <string>

#include "host/text/text.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using lesson::Section;

namespace {

const std::vector<Section>& sections() {
    static const std::vector<Section> both = {
        {"First <of> two",
         {lesson::Paragraph{std::string(40, 'a') + " " + std::string(36, 'b') + " & c"}, lesson::Formulas{{"x < y"}}}},
        {"Second",
         {lesson::Values{{"new", {"0122"}, "0120"}, {"same", {"55"}, "55"}}, Table{{"n", "m"}, {{"1", "2"}}},
          lesson::Bitmap{"bits", {{true, true, false, true}, {false, false, false, false}}}}}};
    return both;
}

}  // namespace

TEST_CASE("a lesson as text") {
    const std::string text = lesson::text(sections());
    CHECK(text.starts_with("1. First <of> two\n\n   aaaa"));
    CHECK(contains(text, "a " + std::string(36, 'b') + "\n   & c\n"));
    CHECK(contains(text, "\n\n     x < y\n\n2. Second\n\n"));
    CHECK(contains(text, "   new\n     0122\n        ^\n   same\n     55\n"));
    CHECK(text.ends_with("   n  m\n   1  2\n"));  // a bitmap is for pages
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("marks in colour") {
    const std::string text = lesson::text(sections(), true);
    CHECK(contains(text, "012\033[31m\033[1m2\033[m\n"));
    CHECK(contains(text, "     55\n"));
}

TEST_CASE("a lesson as a page") {
    const std::string page = lesson::html(sections(), "A & B", "of <c>");
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(contains(page, "<title>A &amp; B</title>"));
    CHECK(contains(page, "<h1>A &amp; B</h1>"));
    CHECK(contains(page, "<code>of &lt;c&gt;</code>"));
    CHECK_FALSE(contains(page, "@lesson@"));
    CHECK(contains(page, "default-src 'none'"));
    CHECK(contains(page, "1. First &lt;of&gt; two"));
    CHECK(contains(page, "<a href=\"#s2\">Second</a>"));
    CHECK(contains(page, "x &lt; y"));
    CHECK(contains(page, "012<mark>2</mark>"));
    CHECK(contains(page, "<td>1</td><td>2</td>"));
    CHECK(contains(page, "M0 0.5h2M3 0.5h1\""));
    CHECK_FALSE(contains(page, "<script"));
    CHECK_FALSE(contains(page, "<details>"));
}

TEST_CASE("long tables of a page are folded away") {
    Table table{{"n"}, std::vector<std::vector<std::string>>(64, {"x"})};
    CHECK(contains(lesson::html({{"Long", {table}}}, "t", ""), "<details><summary>All 64 rows</summary>"));
}
