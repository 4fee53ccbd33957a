#include "tests/net/node/node_block.hpp"

#include <cstddef>
#include <vector>

#include <openssl/sha.h>

namespace gpuminer::test {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes bytes_of_hex(const std::string& hex) {
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

/// Throws std::out_of_range beyond the end.
class Cursor {
public:
    Cursor(const Bytes& bytes, std::size_t at) : bytes_(bytes), at_(at) {}

    void skip(std::uint64_t count) { at_ += count; }
    [[nodiscard]] unsigned char peek() const { return bytes_.at(at_); }
    std::uint64_t number(std::size_t size) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{bytes_.at(at_++)} << 8 * i;
        return value;
    }
    std::uint64_t compact() {
        const std::uint64_t first = number(1);
        return first < 0xfd ? first : number(std::size_t{2} << (first - 0xfd));
    }

private:
    const Bytes& bytes_;
    std::size_t at_;
};

}  // namespace

std::string hash_of_block(const std::string& hex) {
    const Bytes header = bytes_of_hex(hex.substr(0, 160));
    unsigned char digest[32];
    SHA256(header.data(), header.size(), digest);
    SHA256(digest, sizeof digest, digest);
    std::string text;
    for (int i = 31; i >= 0; --i) {
        constexpr const char* kDigits = "0123456789abcdef";
        text += kDigits[digest[i] >> 4];
        text += kDigits[digest[i] & 15];
    }
    return text;
}

std::string bip54_fault(const std::string& hex, std::uint64_t height) {
    const Bytes block = bytes_of_hex(hex);
    Cursor cursor(block, 80);
    (void)cursor.compact();  // transactions
    cursor.skip(4);          // version
    const bool witness = cursor.peek() == 0;
    if (witness) cursor.skip(2);    // marker and flag
    cursor.skip(1 + 36);            // one input, its outpoint
    cursor.skip(cursor.compact());  // its script
    if (cursor.number(4) == 0xffffffff) return "bad-cb-sequence";
    for (std::uint64_t outputs = cursor.compact(); outputs > 0; --outputs) {
        cursor.skip(8);
        cursor.skip(cursor.compact());
    }
    if (witness) {
        for (std::uint64_t items = cursor.compact(); items > 0; --items) cursor.skip(cursor.compact());
    }
    return cursor.number(4) == height - 1 ? "" : "bad-cb-locktime";
}

}  // namespace gpuminer::test
