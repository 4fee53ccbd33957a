// Units of work: some nonces of one version group, and their positions in the space of a search.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "host/search/interval_set.hpp"
#include "kernel/scan_types.hpp"

namespace gpuminer {

/// Where a unit starts. Units are ordered by version group, then nonce.
struct UnitKey {
    std::uint64_t group = 0;
    std::uint32_t nonce = 0;

    friend auto operator<=>(const UnitKey&, const UnitKey&) = default;
};

/// After every unit.
inline constexpr UnitKey kNoBound{~std::uint64_t{0}, ~std::uint32_t{0}};
/// No worker's number.
inline constexpr std::size_t kAnyWorker = ~std::size_t{0};

/// Some nonces, for all versions of one group.
struct WorkUnit {
    std::uint64_t group = 0;
    NonceRange nonces;

    [[nodiscard]] UnitKey key() const { return {group, nonces.first}; }
    /// Cuts off and returns the unit's first nonces, at most `max_count` (at least one) of them.
    [[nodiscard]] WorkUnit cut_front(std::uint64_t max_count) {
        WorkUnit front = *this;
        front.nonces.count = std::min(nonces.count, std::max<std::uint64_t>(max_count, 1));
        nonces.count -= front.nonces.count;
        // Past the last nonce this wraps to 0, with nothing left to use it.
        nonces.first = static_cast<std::uint32_t>(nonces.first + front.nonces.count);
        return front;
    }

    friend bool operator==(const WorkUnit&, const WorkUnit&) = default;
};

/// The nonces of each of `groups` version groups. Positions number them, group after group, as SearchRecord::done does;
/// of groups without end they wrap.
struct WorkSpace {
    NonceRange nonces;
    std::uint64_t groups = 0;

    [[nodiscard]] std::uint64_t positions() const { return groups * nonces.count; }
    [[nodiscard]] std::uint64_t position(UnitKey key) const {
        return key.group * nonces.count + (key.nonce - nonces.first);
    }
    [[nodiscard]] UnitKey key(std::uint64_t position) const { return after({0, nonces.first}, position); }
    /// The nonce that is `count` nonces after this one.
    [[nodiscard]] UnitKey after(UnitKey key, std::uint64_t count) const {
        const std::uint64_t offset = key.nonce - nonces.first + count;
        return {key.group + offset / nonces.count, static_cast<std::uint32_t>(nonces.first + offset % nonces.count)};
    }
    [[nodiscard]] Interval interval(UnitKey first, std::uint64_t count) const {
        return {position(first), position(first) + count};
    }
};

}  // namespace gpuminer
