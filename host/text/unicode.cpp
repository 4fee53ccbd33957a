#include "host/text/unicode.hpp"

#include <algorithm>
#include <iterator>

namespace gpuminer {
namespace {

struct Range {
    char32_t first, last;
};

constexpr Range kInvisible[] = {
    {0x00ad, 0x00ad},    // soft hyphen
    {0x034f, 0x034f},    // combining grapheme joiner
    {0x0600, 0x0605},    // Arabic number signs
    {0x061c, 0x061c},    // Arabic letter mark
    {0x06dd, 0x06dd},    // Arabic end of ayah
    {0x070f, 0x070f},    // Syriac abbreviation mark
    {0x0890, 0x0891},    // Arabic currency marks
    {0x08e2, 0x08e2},    // Arabic disputed end of ayah
    {0x115f, 0x1160},    // Hangul fillers
    {0x17b4, 0x17b5},    // Khmer inherent vowels
    {0x180b, 0x180f},    // Mongolian variation selectors
    {0x200b, 0x200f},    // zero-width space and joiners, left-to-right and right-to-left marks
    {0x2028, 0x202e},    // line and paragraph separators, bidirectional embeddings and overrides
    {0x2060, 0x206f},    // word joiner, invisible operators, bidirectional isolates, deprecated controls
    {0x3164, 0x3164},    // Hangul filler
    {0xfe00, 0xfe0f},    // variation selectors
    {0xfeff, 0xfeff},    // byte order mark
    {0xffa0, 0xffa0},    // half-width Hangul filler
    {0xfff0, 0xfffb},    // interlinear annotations
    {0x110bd, 0x110bd},  // Kaithi number sign
    {0x110cd, 0x110cd},  // Kaithi number sign above
    {0x13430, 0x1343f},  // Egyptian hieroglyph controls
    {0x1bca0, 0x1bca3},  // shorthand controls
    {0x1d173, 0x1d17a},  // musical beams and slurs
    {0xe0000, 0xe0fff},  // tags, variation selectors
};

}  // namespace

DecodedCharacter decode_utf8(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {lead, 1, true};
    const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
    char32_t point = lead & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        point = point << 6 | (byte(i) & 0x3f);
    }
    const bool shortest = point >= (size == 2 ? 0x80U : size == 3 ? 0x800U : 0x10000U);
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    if (!shortest || surrogate || point > 0x10ffff) return {};
    return {point, size, true};
}

bool is_invisible(char32_t point) {
    const auto* const range = std::ranges::lower_bound(kInvisible, point, {}, &Range::last);
    return range != std::end(kInvisible) && point >= range->first;
}

}  // namespace gpuminer
