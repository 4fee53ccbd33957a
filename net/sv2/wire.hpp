// Stratum V2 on the wire: frames, and the data types that messages are made of. Numbers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "host/block/hash256.hpp"
#include "host/text/bytes.hpp"
#include "net/bitcoin/serialization.hpp"

namespace gpuminer::net::sv2 {

inline constexpr std::size_t kHeaderBytes = 6;

/// Before each message's payload: extension (16 bits), type (8 bits), length of the payload (24 bits).
struct FrameHeader {
    std::uint16_t extension = 0;  ///< without the bit below; 0: the protocol's own messages
    std::uint8_t type = 0;
    std::uint32_t length = 0;  ///< bytes of the payload, below 2^24

    [[nodiscard]] std::size_t frame_bytes() const { return kHeaderBytes + length; }
};
/// The extension's bit that says: the message is a channel's, whose number the payload begins with.
inline constexpr std::uint16_t kChannelBit = 0x8000;

/// `frame`: at least kHeaderBytes of it.
[[nodiscard]] FrameHeader read_frame_header(std::string_view frame);
/// A whole frame of the protocol's own messages.
[[nodiscard]] std::string make_frame(std::uint8_t type, bool of_channel, const Bytes& payload);

/// B0_32, B0_64K: bytes with their count before them.
template <std::size_t CountBytes, std::size_t Most>
struct CountedBytes {
    static constexpr std::size_t kCountBytes = CountBytes, kMost = Most;
    Bytes bytes;
};
using ShortBytes = CountedBytes<1, 32>;
using LongBytes = CountedBytes<2, 65535>;

// Writing and reading of each type. A number stands for U8 to U64, bool for BOOL, float for F32, std::string for
// STR0_255, Digest for U256, an optional for OPTION[U32], vectors for SEQ0_255[U256] and SEQ0_64K[U32]. Writing throws
// std::invalid_argument where there are too many bytes, reading NetworkError (ByteReader's) where there are too few,
// and for a count above the type's bounds.

template <typename Number>
requires std::is_unsigned_v<Number>
void put(Bytes& out, Number value) { append_little_endian(out, value, sizeof(value)); }
template <typename Number>
requires std::is_unsigned_v<Number>
void get(ByteReader& in, Number& value) { value = static_cast<Number>(in.little_endian(sizeof(value))); }

void put(Bytes& out, float value);
void put(Bytes& out, const std::string& text);
void put(Bytes& out, const Digest& number);
void put(Bytes& out, const std::optional<std::uint32_t>& value);
void put(Bytes& out, const std::vector<Digest>& list);
void put(Bytes& out, const std::vector<std::uint32_t>& list);
void get(ByteReader& in, bool& value);  ///< the lowest bit; the others have no meaning
void get(ByteReader& in, float& value);
void get(ByteReader& in, std::string& text);
void get(ByteReader& in, Digest& number);
void get(ByteReader& in, std::optional<std::uint32_t>& value);
void get(ByteReader& in, std::vector<Digest>& list);
void get(ByteReader& in, std::vector<std::uint32_t>& list);

/// A count of `size` bytes, and so many bytes.
void put_counted(Bytes& out, std::span<const std::uint8_t> bytes, std::size_t size, std::size_t most);
[[nodiscard]] std::span<const std::uint8_t> get_counted(ByteReader& in, std::size_t size, std::size_t most);

template <std::size_t CountBytes, std::size_t Most>
void put(Bytes& out, const CountedBytes<CountBytes, Most>& value) {
    put_counted(out, value.bytes, CountBytes, Most);
}
template <std::size_t CountBytes, std::size_t Most>
void get(ByteReader& in, CountedBytes<CountBytes, Most>& value) {
    const auto bytes = get_counted(in, CountBytes, Most);
    value.bytes.assign(bytes.begin(), bytes.end());
}

}  // namespace gpuminer::net::sv2
