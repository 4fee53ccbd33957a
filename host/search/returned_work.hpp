// Work that came back without being done: given back by workers, or brought from elsewhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/search/interval_set.hpp"
#include "host/search/work_unit.hpp"

namespace gpuminer {

class ReturnedWork {
public:
    explicit ReturnedWork(const WorkSpace& space) : space_(space) {}

    /// `count` nonces from `key` on; they may go on in the groups that follow. `not_for`: the worker that is not to get
    /// them as long as there is another one, or kAnyWorker.
    void add(UnitKey key, std::uint64_t count, std::size_t not_for = kAnyWorker) {
        if (count > 0 && key.group >= oldest_ && key <= bound_) entries_.emplace(key, Entry{count, not_for});
    }
    void add(const Interval& positions) { add(space_.key(positions.first), positions.end - positions.first); }

    /// The lowest unit that this worker may have, of at most `max_nonces` (>= 1) nonces. `is_alone`: there is no other.
    [[nodiscard]] std::optional<WorkUnit> next(std::size_t worker, std::uint64_t max_nonces, bool is_alone) {
        const auto it = std::ranges::find_if(
            entries_, [&](const auto& entry) { return entry.second.not_for != worker || is_alone; });
        if (it == entries_.end()) return std::nullopt;
        const auto [key, entry] = *it;
        const std::uint64_t in_group = space_.nonces.count - (key.nonce - space_.nonces.first);
        WorkUnit rest{key.group, {key.nonce, std::min(entry.count, in_group)}};
        const WorkUnit unit = rest.cut_front(max_nonces);
        entries_.erase(it);
        add(space_.after(key, unit.nonces.count), entry.count - unit.nonces.count, entry.not_for);
        return unit;
    }

    /// Drops what starts after this key, now and later. Bounds only ever go down.
    void set_bound(UnitKey last_useful) {
        bound_ = std::min(bound_, last_useful);
        entries_.erase(entries_.upper_bound(bound_), entries_.end());
    }
    /// Drops what starts before this group, now and later.
    void skip_to(std::uint64_t group) {
        oldest_ = std::max(oldest_, group);
        entries_.erase(entries_.begin(), entries_.lower_bound({oldest_, 0}));
    }

    [[nodiscard]] bool empty() const { return entries_.empty(); }
    /// Number of positions, up to the bound.
    [[nodiscard]] std::uint64_t size() const {
        const NonceRange& nonces = space_.nonces;
        const auto last_nonce = static_cast<std::uint32_t>(nonces.first + nonces.count - 1);
        const UnitKey last{bound_.group, std::min(bound_.nonce, last_nonce)};  // the bound's may lie beyond the range
        std::uint64_t size = 0;
        for (const auto& [key, entry] : entries_) {
            const bool is_beyond = space_.after(key, entry.count - 1) > bound_;
            size += is_beyond ? space_.position(last) + 1 - space_.position(key) : entry.count;
        }
        return size;
    }
    /// Takes all away.
    [[nodiscard]] std::vector<Interval> take_all() {
        std::vector<Interval> positions;
        for (const auto& [key, entry] : std::exchange(entries_, {}))
            positions.push_back(space_.interval(key, entry.count));
        return positions;
    }

private:
    struct Entry {
        std::uint64_t count;
        std::size_t not_for;
    };

    const WorkSpace space_;
    std::multimap<UnitKey, Entry> entries_;
    UnitKey bound_ = kNoBound;
    std::uint64_t oldest_ = 0;  ///< group
};

}  // namespace gpuminer
