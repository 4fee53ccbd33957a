#include "net/sv2/wire.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "host/errors.hpp"

namespace gpuminer::net::sv2 {
namespace {

constexpr std::size_t kLongestText = 255;

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::size_t get_count(ByteReader& in, std::size_t size, std::size_t most) {
    const std::uint64_t count = in.little_endian(size);
    if (count > most) throw NetworkError(fmt::format("expected a count of at most {}, got {}", most, count));
    return count;
}

void put_count(Bytes& out, std::size_t count, std::size_t size, std::size_t most) {
    if (count > most) throw std::invalid_argument("too many elements for a message of Stratum V2");
    append_little_endian(out, count, size);
}

}  // namespace

FrameHeader read_frame_header(std::string_view frame) {
    ByteReader in(bytes_of(frame));
    FrameHeader header;
    header.extension = static_cast<std::uint16_t>(in.little_endian(2) & ~std::uint64_t{kChannelBit});
    header.type = static_cast<std::uint8_t>(in.little_endian(1));
    header.length = static_cast<std::uint32_t>(in.little_endian(3));
    return header;
}

std::string make_frame(std::uint8_t type, bool of_channel, const Bytes& payload) {
    Bytes frame;
    append_little_endian(frame, of_channel ? kChannelBit : 0, 2);
    append_little_endian(frame, type, 1);
    append_little_endian(frame, payload.size(), 3);
    append(frame, payload);
    return {frame.begin(), frame.end()};
}

void put_counted(Bytes& out, std::span<const std::uint8_t> bytes, std::size_t size, std::size_t most) {
    put_count(out, bytes.size(), size, most);
    append(out, bytes);
}

std::span<const std::uint8_t> get_counted(ByteReader& in, std::size_t size, std::size_t most) {
    return in.take(get_count(in, size, most));
}

void put(Bytes& out, float value) { append_little_endian(out, std::bit_cast<std::uint32_t>(value), 4); }
void put(Bytes& out, const std::string& text) { put_counted(out, bytes_of(text), 1, kLongestText); }
void put(Bytes& out, const Digest& number) { append(out, number); }
void put(Bytes& out, const std::optional<std::uint32_t>& value) {
    put(out, std::uint8_t{value.has_value()});
    if (value) put(out, *value);
}
void put(Bytes& out, const std::vector<Digest>& list) {
    put_count(out, list.size(), 1, 255);
    for (const Digest& number : list) put(out, number);
}
void put(Bytes& out, const std::vector<std::uint32_t>& list) {
    put_count(out, list.size(), 2, 65535);
    for (const std::uint32_t number : list) put(out, number);
}

void get(ByteReader& in, bool& value) { value = (in.little_endian(1) & 1) != 0; }
void get(ByteReader& in, float& value) {
    value = std::bit_cast<float>(static_cast<std::uint32_t>(in.little_endian(4)));
}
void get(ByteReader& in, std::string& text) {
    const auto bytes = get_counted(in, 1, kLongestText);
    text.assign(bytes.begin(), bytes.end());
}
void get(ByteReader& in, Digest& number) { std::ranges::copy(in.take(number.size()), number.begin()); }
void get(ByteReader& in, std::optional<std::uint32_t>& value) {
    value.reset();
    if (get_count(in, 1, 1) == 1) get(in, value.emplace());
}
void get(ByteReader& in, std::vector<Digest>& list) {
    list.clear();
    for (std::size_t count = get_count(in, 1, 255); count > 0; --count) get(in, list.emplace_back());
}
void get(ByteReader& in, std::vector<std::uint32_t>& list) {
    list.clear();
    for (std::size_t count = get_count(in, 2, 65535); count > 0; --count) get(in, list.emplace_back());
}

}  // namespace gpuminer::net::sv2
