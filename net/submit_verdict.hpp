// A server's verdict on a submission: a pool's on a share, a node's on a block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpuminer::net {

enum class SubmitVerdict {
    kAccepted,
    kStale,     ///< too late: there is newer work
    kRejected,  ///< for any other reason
};

/// Why a server refuses what was submitted, as far as programs tell it apart.
enum class RefusalKind { kLowDifficulty, kStale, kDuplicate, kUnauthorised, kOther };

class RefusalCounts {
public:
    static constexpr std::array<const char*, 5> kNames = {"low difficulty", "stale", "duplicate", "unauthorised",
                                                          "other"};

    void add(RefusalKind kind) { ++counts_[static_cast<std::size_t>(kind)]; }
    /// In the order of the names.
    [[nodiscard]] const std::array<std::uint64_t, kNames.size()>& all() const { return counts_; }

private:
    std::array<std::uint64_t, kNames.size()> counts_{};
};

}  // namespace gpuminer::net
