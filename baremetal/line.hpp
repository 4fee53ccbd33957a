// A line of text that is put together piece by piece, in a buffer of fixed size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuminer::baremetal {

/// Some characters of somebody else's.
struct Text {
    const char* data = "";
    std::size_t size = 0;

    constexpr Text() = default;
    constexpr Text(const char* begin, std::size_t length) : data(begin), size(length) {}
    constexpr Text(const char* zero_terminated)  // NOLINT(google-explicit-constructor): literals are texts
        : data(zero_terminated), size(__builtin_strlen(zero_terminated)) {}

    [[nodiscard]] constexpr char operator[](std::size_t i) const { return data[i]; }
    [[nodiscard]] constexpr Text without_first(std::size_t count) const { return {data + count, size - count}; }
    friend constexpr bool operator==(const Text& a, const Text& b) {
        if (a.size != b.size) return false;
        for (std::size_t i = 0; i < a.size; ++i) {
            if (a.data[i] != b.data[i]) return false;
        }
        return true;
    }
};

/// The nearest whole number. For values from 0 to 1e18.
[[nodiscard]] std::uint64_t rounded(double value);

/// What does not fit is cut off. Ends with a zero.
class Line {
public:
    static constexpr std::size_t kCapacity = 510;

    Line& add(Text text);
    Line& add(char c) { return add(Text(&c, 1)); }
    Line& number(std::uint64_t value);
    Line& grouped(std::uint64_t value);  ///< "4,294,967,296"
    /// Upper-case digits, as many as asked for.
    Line& hex(std::uint64_t value, unsigned digits);
    /// Lower-case digits of the bytes, in this order.
    Line& hex_bytes(const std::uint8_t* bytes, std::size_t size);
    /// Rounded to so many digits after the point, at most 9. For values from 0 to 1e18.
    Line& decimal(double value, unsigned digits);
    /// Input of unknown origin in quotes: at most 40 characters, with ? for what cannot be printed.
    Line& quoted(Text text);
    /// Spaces up to this column (the first is 0).
    Line& pad_to(std::size_t column);
    void clear() { size_ = 0, characters_[0] = 0; }

    [[nodiscard]] Text text() const { return {characters_, size_}; }
    [[nodiscard]] bool empty() const { return size_ == 0; }

private:
    char characters_[kCapacity + 1] = {};
    std::size_t size_ = 0;
};

}  // namespace gpuminer::baremetal
