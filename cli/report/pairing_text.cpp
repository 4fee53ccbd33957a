#include "cli/report/pairing_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include <qrcodegen.hpp>

#include "cli/terminal/terminal.hpp"

namespace gpuminer {
namespace {

constexpr int kQuietZone = 2;  // modules; the standard has four, and phones read codes with two

/// Two rows of modules in each line. Bright modules are drawn, as codes are dark on bright ground.
std::string drawn(const qrcodegen::QrCode& code, bool colors) {
    constexpr std::string_view kBlackOnWhite = "\033[30;107m", kPlain = "\033[m";
    const int end = code.getSize() + kQuietZone;
    std::string text;
    for (int y = -kQuietZone; y < end; y += 2) {
        if (colors) text += kBlackOnWhite;
        for (int x = -kQuietZone; x < end; ++x) {
            const bool above = code.getModule(x, y), below = code.getModule(x, y + 1);
            const bool draws_above = above == colors, draws_below = below == colors;
            text += draws_above && draws_below ? "█" : draws_above ? "▀" : draws_below ? "▄" : " ";
        }
        text += colors ? fmt::format("{}\n", kPlain) : "\n";
    }
    return text;
}

/// Empty: it does not fit below so many rows of words.
std::string qr_code(const PairingFacts& facts, const Canvas& canvas, std::size_t words) {
    using qrcodegen::QrCode;
    constexpr std::size_t kLongest = 500;  // bytes, far more than a link has
    const std::string link = facts.address + "#" + facts.secret;
    if (!canvas.unicode || facts.address.empty() || link.size() > kLongest) return "";
    const QrCode code = QrCode::encodeText(link.c_str(), QrCode::Ecc::LOW);
    const int modules = code.getSize() + 2 * kQuietZone;
    const auto size = static_cast<std::size_t>(modules);
    constexpr std::size_t kBelow = 3;  // rows: a message, the progress line, and one that stays empty
    const bool fits = size <= canvas.columns && words + (size + 1) / 2 + kBelow <= canvas.rows;
    return fits ? drawn(code, canvas.colors) : "";
}

/// Lines that fit. `sentence`: with places for the page's address and for what is to be typed.
std::string words_of(const PairingFacts& facts, fmt::string_view sentence, const std::string& page,
                     const Canvas& canvas) {
    constexpr char kBlank = '\x1f';  // a blank at which no line ends
    const std::size_t half = std::min<std::size_t>(4, facts.digits.size());
    const std::string typed =
        fmt::format("type{0}{1}{0}{2}", kBlank, facts.digits.substr(0, half), facts.digits.substr(half));
    std::string text = facts.reason.empty() ? "" : fmt::format("no address for a phone: {}\n", facts.reason);
    text = wrapped(text + fmt::format(fmt::runtime(sentence), page, typed), canvas.columns - 1);
    std::ranges::replace(text, kBlank, ' ');
    return text;
}

}  // namespace

Canvas canvas_of(int descriptor) {
    return {columns_of(descriptor), rows_of(descriptor), shows_unicode(), terminal_has_colors(descriptor)};
}

std::string pairing_text(const PairingFacts& facts, const std::string& place, const Canvas& canvas) {
    const std::string& page = facts.address.empty() ? place : facts.address;
    const std::string scan =
        words_of(facts, "scan this with the phone, or open {} and {}, within two minutes\n", page, canvas);
    const auto rows = static_cast<std::size_t>(std::ranges::count(scan, '\n'));
    if (const std::string code = qr_code(facts, canvas, rows); !code.empty()) return scan + code;
    return words_of(facts, "to let a browser in, open {} and {} there, within two minutes\n", page, canvas);
}

}  // namespace gpuminer
