// Bitcoin's serialisation of numbers and counted bytes, as transactions and blocks are made of: writing and reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/text/bytes.hpp"

namespace gpuminer::net {

void append(Bytes& out, std::span<const std::uint8_t> bytes);
/// The lowest `size` bytes of `value`, little-endian.
void append_little_endian(Bytes& out, std::uint64_t value, std::size_t size);
/// Bitcoin's variable-length integer (CompactSize): 1, 3, 5 or 9 bytes.
void append_compact_size(Bytes& out, std::uint64_t value);

/// Reads bytes from the front. Each function throws NetworkError "it is truncated" where too few are left: the part of
/// a sentence that says what is wrong.
class ByteReader {
public:
    /// `data` has to outlive this and all that it gives.
    explicit ByteReader(std::span<const std::uint8_t> data) : data_(data) {}

    /// Bytes read so far.
    [[nodiscard]] std::size_t at() const { return at_; }
    /// Those read since at() was `from`.
    [[nodiscard]] std::span<const std::uint8_t> since(std::size_t from) const {
        return data_.subspan(from, at_ - from);
    }
    [[nodiscard]] std::size_t left() const { return data_.size() - at_; }
    [[nodiscard]] bool next_is(std::uint8_t byte) const { return left() > 0 && data_[at_] == byte; }

    std::span<const std::uint8_t> take(std::uint64_t count);
    void skip(std::uint64_t count) { (void)take(count); }
    /// A number of at most 8 bytes.
    std::uint64_t little_endian(std::size_t size) { return load_le(take(size)); }
    /// Throws NetworkError also for one that is written with more bytes than it needs, as Bitcoin Core does.
    std::uint64_t compact_size();
    /// As many bytes as the CompactSize before them says.
    std::span<const std::uint8_t> take_counted() { return take(compact_size()); }
    void skip_counted() { (void)take_counted(); }

private:
    std::span<const std::uint8_t> data_;
    std::size_t at_ = 0;
};

}  // namespace gpuminer::net
