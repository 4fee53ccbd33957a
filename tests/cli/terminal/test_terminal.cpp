// Text that fits a terminal.
#include <string>

#include "cli/terminal/terminal.hpp"
#include "tests/catch.hpp"

using gpuminer::ascii_text;
using gpuminer::fitted;
using gpuminer::wrapped;

TEST_CASE("a line that is too long loses its last parts, then its end") {
    const std::string line = "27.15 MH/s, accepted 7, rejected 0, a share every 7.5 s on average";
    CHECK(fitted(line, 79) == line);
    CHECK(fitted(line, line.size()) == line);
    CHECK(fitted(line, line.size() - 1) == "27.15 MH/s, accepted 7, rejected 0");
    CHECK(fitted(line, 33) == "27.15 MH/s, accepted 7");
    CHECK(fitted(line, 10) == "27.15 MH/s");
    CHECK(fitted(line, 9) == "27.15 MH…");
    CHECK(fitted("waiting for devices", 8) == "waiting…");
    CHECK(fitted("äöü, äöü", 8) == "äöü, äöü");
    CHECK(fitted("äöü, äöü", 7) == "äöü");
    CHECK(fitted("", 5).empty());
}

TEST_CASE("lines are broken at blanks, and go on below their text") {
    CHECK(wrapped("a line that is short\n", 80) == "a line that is short\n");
    CHECK(wrapped("one two three four", 9) == "one two\n  three\n  four");
    CHECK(wrapped("  one two three four\nfive", 12) == "  one two\n    three\n    four\nfive");
    CHECK(wrapped("  --json        one JSON document on standard output", 40) ==
          "  --json        one JSON document on\n                standard output");
    CHECK(wrapped("hash        " + std::string(64, 'f'), 40) == "hash        " + std::string(64, 'f'));
    CHECK(wrapped(std::string(64, 'f'), 40) == std::string(64, 'f'));
    CHECK(wrapped("a  very wide gap                                 then text", 30) ==
          "a  very wide gap\n   then text");
    CHECK(wrapped("ä ä ä ä", 7) == "ä ä ä ä");
    CHECK(wrapped("\n\nx\n", 20) == "\n\nx\n");
    CHECK(wrapped("one two three", gpuminer::kUnlimitedColumns) == "one two three");
}

TEST_CASE("what a terminal without Unicode shows is ASCII") {
    CHECK(ascii_text("").empty());
    CHECK(ascii_text("\033[31m3 × cpu, 61 °C\n") == "\033[31m3 x cpu, 61 C\n");
    CHECK(ascii_text("00000000–0000270F, 5 µs, −∞") == "00000000-0000270F, 5 us, -inf");
    CHECK(ascii_text("--backend auto[,…]") == "--backend auto[,...]");
    CHECK(ascii_text("█▀░") == "#?-");
    CHECK(ascii_text("café") == "caf?");
    CHECK(ascii_text("a\xc3") == "a?");  // cut
    // Columns stay below each other where there is room.
    CHECK(ascii_text("a name that is cut…    12") == "a name that is cut...  12");
    CHECK(ascii_text("cut… 12") == "cut... 12");
}
