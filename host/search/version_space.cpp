#include "host/search/version_space.hpp"

#include <algorithm>
#include <bit>

namespace gpuminer {

VersionSpace::VersionSpace(std::uint32_t header_version, std::uint32_t mask, std::uint32_t group_size)
    : base_(header_version & ~mask),
      mask_(mask),
      size_(std::uint64_t{1} << std::popcount(mask)),
      group_size_(static_cast<std::uint32_t>(std::min<std::uint64_t>(group_size, size_))) {}

std::uint32_t VersionSpace::version(std::uint64_t index) const {
    // Bit k of the index goes to the k-th lowest bit of the mask, so versions ascend with the index.
    std::uint32_t value = base_;
    for (std::uint32_t left = mask_; left != 0; left &= left - 1, index >>= 1) {
        if (index & 1) value |= left & (~left + 1);
    }
    return value;
}

std::optional<std::uint32_t> VersionSpace::index_of(std::uint32_t version) const {
    if ((version & ~mask_) != base_) return std::nullopt;
    std::uint32_t index = 0;
    std::uint32_t bit = 1;
    for (std::uint32_t left = mask_; left != 0; left &= left - 1, bit <<= 1) {
        if ((version & left & (~left + 1)) != 0) index |= bit;
    }
    return index;
}

std::vector<std::uint32_t> VersionSpace::group(std::uint64_t group_index) const {
    std::vector<std::uint32_t> versions;
    for (std::uint32_t i = 0; i < group_size_; ++i) versions.push_back(version(index(group_index, i)));
    return versions;
}

}  // namespace gpuminer
