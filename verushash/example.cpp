#include "verushash/example.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "host/text/bytes.hpp"

namespace gpuminer::verushash {
namespace {

// As verushash/block.cpp and docs/verushash.md have them.
constexpr std::size_t kTimeAt = 100, kNbitsAt = 104, kSolutionSizeAt = 140, kChainsAt = 148, kFirstPreHeaderAt = 235;
constexpr std::uint32_t kExampleTime = 1'700'000'000;
constexpr std::uint32_t kExampleNbits = 0x1e0fffff;             ///< a hash of a million
constexpr std::uint64_t kSolutionSizeAndVersion = 0x07'0540fd;  ///< 1,344 bytes, version 7, no flags

}  // namespace

Header example_header() {
    std::array<std::uint8_t, kHeaderBytes> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * i + i / 7);
    store_le32(bytes, 0, kBlockVersion);
    store_le32(bytes, kTimeAt, kExampleTime);
    store_le32(bytes, kNbitsAt, kExampleNbits);
    store_le(std::span(bytes).subspan(kSolutionSizeAt, 8), kSolutionSizeAndVersion);
    bytes[kChainsAt] = 1;
    return parse_header(bytes).with_nonce(0);
}

Header merged_example_header() {
    Header header = example_header();
    std::ranges::copy(pre_header_hash(header), header.bytes.begin() + kFirstPreHeaderAt);
    return header;
}

}  // namespace gpuminer::verushash
