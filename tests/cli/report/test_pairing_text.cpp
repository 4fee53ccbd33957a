// Tests of the text that lets a phone in: its QR code has the link's modules, and is left out where it cannot be drawn.
#include "cli/report/pairing_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <qrcodegen.hpp>

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
        CHECK(
            text.starts_with("scan this with the phone, or open http://192.168.1.7:8080/ and type 1234 5678, within"));
        CHECK_FALSE(contains(text, kFacts.secret));
        const auto rows = painted(std::string_view(text).substr(text.find('\n') + 1));
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
    for (const Canvas& canvas : {Canvas{.columns = 32}, Canvas{.rows = 19}, Canvas{.unicode = false}}) {
        CHECK(pairing_text(kFacts, "", canvas) ==
              "to let a browser in, open http://192.168.1.7:8080/ and type 1234 5678 there, within two minutes\n");
    }
    CHECK(pairing_text({"", "no network", "ABC", "00000001"}, "http://127.0.0.1:8080/", {}) ==
          "no address for a phone: no network\n"
          "to let a browser in, open http://127.0.0.1:8080/ and type 0000 0001 there, within two minutes\n");
}
