// Tests of the text that lets a phone in: its QR code has the link's modules, and is left out where it cannot be drawn.
#include "cli/report/pairing_text.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <qrcodegen.hpp>

#include "host/text/text.hpp"
#include "tests/catch.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;

namespace {

const PairingFacts kFacts{"http://192.168.1.7:8080/", "", "ABCDEFGHIJKLMNOPQRSTUV", "12345678"};

/// Of lines of half blocks, as rows of modules: whether each is painted.
std::vector<std::vector<bool>> painted(std::string_view text) {
    std::vector<std::vector<bool>> rows;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.starts_with("\033[30;107m")) line = line.substr(9, line.size() - 9 - 3);
        std::vector<bool> above, below;
        while (!line.empty()) {
            const std::string_view block = line.substr(0, line.front() == ' ' ? 1 : 3);
            above.push_back(block == "█" || block == "▀");
            below.push_back(block == "█" || block == "▄");
            line.remove_prefix(block.size());
        }
        rows.insert(rows.end(), {above, below});
    }
    return rows;
}

}  // namespace

TEST_CASE("the QR code that is drawn is that of the link, dark on bright ground, with a margin of two modules") {
    const auto code =
        qrcodegen::QrCode::encodeText("http://192.168.1.7:8080/#ABCDEFGHIJKLMNOPQRSTUV", qrcodegen::QrCode::Ecc::LOW);
    for (const bool colors : {true, false}) {
        const std::string text =
            pairing_text(kFacts, "", {.columns = 80, .rows = 24, .unicode = true, .colors = colors});
        constexpr std::string_view kWords =
            "scan this with the phone, or open http://192.168.1.7:8080/ and type 1234 5678,\n  within two minutes\n";
        REQUIRE(text.starts_with(kWords));
        CHECK_FALSE(contains(text, kFacts.secret));
        const auto rows = painted(std::string_view(text).substr(kWords.size()));
        const auto size = static_cast<std::size_t>(code.getSize());
        REQUIRE(rows.size() == size + 5);
        bool same = true;
        for (std::size_t y = 0; y < size + 4; ++y) {
            REQUIRE(rows[y].size() == size + 4);
            for (std::size_t x = 0; x < size + 4; ++x) {
                const bool dark = code.getModule(static_cast<int>(x) - 2, static_cast<int>(y) - 2);
                same = same && rows[y][x] == (dark == colors);  // black ink on white, or else bright ink on dark ground
            }
        }
        CHECK(same);
    }
}

TEST_CASE("digits alone where no code can be drawn, and why where no phone gets to the page") {
    for (const Canvas& canvas : {Canvas{.columns = 120, .rows = 20}, Canvas{.columns = 120, .unicode = false}}) {
        CHECK(pairing_text(kFacts, "", canvas) ==
              "to let a browser in, open http://192.168.1.7:8080/ and type 1234 5678 there, within two minutes\n");
    }
    CHECK(pairing_text({"", "no network", "ABC", "00000001"}, "http://127.0.0.1:8080/", {.columns = 120}) ==
          "no address for a phone: no network\n"
          "to let a browser in, open http://127.0.0.1:8080/ and type 0000 0001 there, within two minutes\n");
}

TEST_CASE("the words of pairing fit into every terminal, the digits on one row, and leave the code its room") {
    constexpr std::size_t kNever = 99;
    const std::vector<std::pair<std::size_t, std::size_t>> rows_of_words = {
        {32, kNever}, {33, 4}, {40, 3}, {59, 2}, {60, 2}, {80, 2}, {97, 2}, {98, 1}, {200, 1}};
    for (const auto& [columns, words] : rows_of_words) {
        for (const std::size_t rows : {20, 21, 22, 23, 24, 40}) {
            const std::string text = pairing_text(kFacts, "", {.columns = columns, .rows = rows, .colors = false});
            CHECK(contains(text, "type 1234 5678"));
            std::size_t count = 0;
            for (std::size_t at = 0; at < text.size(); ++count) {
                const std::size_t end = text.find('\n', at);
                const std::string line = text.substr(at, end - at);
                CHECK(character_count(line) <= (contains(line, "█") ? columns : columns - 1));
                at = end + 1;
            }
            INFO(columns << " columns, " << rows << " rows, of which it takes " << count);
            CHECK(count + 3 <= rows);  // a message, the live line, and an empty one
            CHECK(contains(text, "█") == (words + 17 + 3 <= rows));
        }
    }
}
