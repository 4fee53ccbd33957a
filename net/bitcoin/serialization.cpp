#include "net/bitcoin/serialization.hpp"

#include "host/errors.hpp"

namespace gpuminer::net {

void append(Bytes& out, std::span<const std::uint8_t> bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

void append_little_endian(Bytes& out, std::uint64_t value, std::size_t size) {
    out.resize(out.size() + size);
    store_le(std::span(out).last(size), value);
}

void append_compact_size(Bytes& out, std::uint64_t value) {
    if (value < 0xfd) return append_little_endian(out, value, 1);
    const unsigned power = value <= 0xffff ? 1 : value <= 0xffffffff ? 2 : 3;  // 2^power bytes
    out.push_back(static_cast<std::uint8_t>(0xfc + power));
    append_little_endian(out, value, std::size_t{1} << power);
}

std::span<const std::uint8_t> ByteReader::take(std::uint64_t count) {
    if (count > left()) throw NetworkError("it is truncated");
    const auto taken = data_.subspan(at_, static_cast<std::size_t>(count));
    at_ += taken.size();
    return taken;
}

std::uint64_t ByteReader::compact_size() {
    const std::uint64_t first = little_endian(1);
    if (first < 0xfd) return first;
    const std::size_t size = std::size_t{2} << (first - 0xfd);
    const std::uint64_t value = little_endian(size);
    const std::uint64_t smallest = size == 2 ? 0xfd : std::uint64_t{1} << (4 * size);
    if (value < smallest) throw NetworkError("a count in it is encoded longer than necessary");
    return value;
}

}  // namespace gpuminer::net
