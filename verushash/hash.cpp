#include "verushash/hash.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "host/text/bytes.hpp"
#include "verushash/clhash.hpp"
#include "verushash/haraka.hpp"

namespace gpuminer::verushash {
namespace {

constexpr std::size_t kBlock = 32;

/// The state of 32 bytes that is chained on, and the 32 bytes that are absorbed next.
using Buffer = std::array<std::uint8_t, 2 * kBlock>;

/// Fills the buffer from `at` to its end with `pattern`, again and again.
void fill(Buffer& buffer, std::size_t at, std::span<const std::uint8_t> pattern) {
    for (std::size_t i = at; i < buffer.size(); ++i) buffer[i] = pattern[(i - at) % pattern.size()];
}

}  // namespace

Digest hash_bytes(std::span<const std::uint8_t> data) {
    Buffer buffer{};
    for (; data.size() >= kBlock; data = data.subspan(kBlock)) {
        std::ranges::copy(data.first(kBlock), buffer.begin() + kBlock);
        std::ranges::copy(haraka512(buffer), buffer.begin());
    }
    std::ranges::copy(data, buffer.begin() + kBlock);
    const std::size_t rest = kBlock + data.size();

    const Buffer absorbed = buffer;
    fill(buffer, rest, std::span(absorbed).first(16));
    Key key = make_key(std::span(buffer).first<kBlock>());
    const std::uint64_t intermediate = clhash(key, buffer);

    std::array<std::uint8_t, 8> bytes{};
    store_le(bytes, intermediate);
    fill(buffer, rest, bytes);
    return haraka512(buffer, std::span(key).subspan(intermediate % kMutableVectors).first<40>());
}

Digest hash_header(const Header& header) { return hash_bytes(canonical_form(header).bytes); }

}  // namespace gpuminer::verushash
