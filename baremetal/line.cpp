#include "baremetal/line.hpp"

namespace gpuminer::baremetal {

std::uint64_t rounded(double value) {
    const auto whole = static_cast<std::uint64_t>(value);
    return value - static_cast<double>(whole) < 0.5 ? whole : whole + 1;
}

Line& Line::add(Text text) {
    for (std::size_t i = 0; i < text.size && size_ < kCapacity; ++i) characters_[size_++] = text[i];
    characters_[size_] = 0;
    return *this;
}

Line& Line::number(std::uint64_t value) {
    char digits[20];
    std::size_t first = sizeof(digits);
    do {
        digits[--first] = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return add(Text(digits + first, sizeof(digits) - first));
}

Line& Line::grouped(std::uint64_t value) {
    Line plain;
    plain.number(value);
    const Text digits = plain.text();
    for (std::size_t i = 0; i < digits.size; ++i) {
        if (i > 0 && (digits.size - i) % 3 == 0) add(',');
        add(digits[i]);
    }
    return *this;
}

Line& Line::hex(std::uint64_t value, unsigned digits) {
    while (digits-- > 0) add("0123456789ABCDEF"[value >> (4 * digits) & 15]);
    return *this;
}

Line& Line::hex_bytes(const std::uint8_t* bytes, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
        add("0123456789abcdef"[bytes[i] >> 4]).add("0123456789abcdef"[bytes[i] & 15]);
    return *this;
}

Line& Line::decimal(double value, unsigned digits) {
    std::uint64_t scale = 1;
    for (unsigned i = 0; i < digits; ++i) scale *= 10;
    const auto whole = static_cast<std::uint64_t>(value);
    std::uint64_t fraction = rounded((value - static_cast<double>(whole)) * static_cast<double>(scale));
    number(whole + fraction / scale);
    fraction %= scale;
    if (digits > 0) add('.');
    for (scale /= 10; scale > 0; scale /= 10) add(static_cast<char>('0' + fraction / scale % 10));
    return *this;
}

Line& Line::quoted(Text text) {
    constexpr std::size_t kMost = 40;
    add('"');
    for (std::size_t i = 0; i < text.size && i < kMost; ++i) add(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    return add(text.size > kMost ? "\"..." : "\"");
}

Line& Line::pad_to(std::size_t column) {
    while (size_ < column && size_ < kCapacity) add(' ');
    return *this;
}

}  // namespace gpuminer::baremetal
