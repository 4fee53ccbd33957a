// The versions that a search rolls through, in groups that share one ScanJob.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace gpuminer {

/// The version bits that BIP 323 gives to miners, all of which may be rolled here.
inline constexpr std::uint32_t kBip323Mask = 0x1fffffe0;
/// Those that BIP 320 had given to them before. Older nodes read the others as signals of soft forks, and older pools
/// know no others: V1 pools are asked for these, and `solo` rolls these.
inline constexpr std::uint32_t kBip320Mask = 0x1fffe000;

/// Version fields to search: the header's own with the mask's bits cleared, combined with every subset of
/// the mask, ascending. Numbered from 0; cut into groups of up to `group_size` neighbours.
class VersionSpace {
public:
    /// `group_size`: a power of two; a smaller space makes one smaller group.
    VersionSpace(std::uint32_t header_version, std::uint32_t mask, std::uint32_t group_size);

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::uint64_t groups() const { return size_ / group_size_; }
    /// Versions in every group (all are equally large, as both numbers are powers of two).
    [[nodiscard]] std::uint32_t group_size() const { return group_size_; }

    /// The version field with this number; `index` < size().
    [[nodiscard]] std::uint32_t version(std::uint64_t index) const;
    /// And back. Empty: the space has no such version.
    [[nodiscard]] std::optional<std::uint32_t> index_of(std::uint32_t version) const;
    [[nodiscard]] std::vector<std::uint32_t> group(std::uint64_t group_index) const;
    /// Number of a version within the whole space.
    [[nodiscard]] std::uint64_t index(std::uint64_t group_index, std::uint32_t index_in_group) const {
        return group_index * group_size_ + index_in_group;
    }

private:
    std::uint32_t base_;
    std::uint32_t mask_;
    std::uint64_t size_;
    std::uint32_t group_size_;
};

}  // namespace gpuminer
