// Cursor over the space of a search: hands out each of its positions once, in one stream for all workers or in pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/search/interval_set.hpp"
#include "host/search/search_types.hpp"
#include "host/search/work_unit.hpp"

namespace gpuminer {

class WorkCursor {
public:
    /// Static: hands out nothing before cut(). `done`: what the search's account records as done, which is skipped, and
    /// is to stay short; it outlives the cursor. Null: nothing is recorded.
    WorkCursor(const WorkSpace& space, PartitionMode mode, const IntervalSet* done);

    /// Static, once: cuts the nonces into one piece for each of `owners` (one at least), in this order.
    void cut(const std::vector<std::size_t>& owners);
    [[nodiscard]] bool is_cut() const { return !streams_.empty(); }
    /// Any worker gets the rest of this one's piece.
    void release(std::size_t worker);
    /// The worker's own nonces, or all of them where nobody has any; a count of 0: others have them.
    [[nodiscard]] NonceRange piece(std::size_t worker) const;

    /// The next unit, of at most `max_nonces` (>= 1) nonces: of the worker's own piece, then of what is anybody's.
    /// `share`: the worker's part of what all do together, so that all end together; empty: it is alone.
    [[nodiscard]] std::optional<WorkUnit> next(std::size_t worker, std::uint64_t max_nonces,
                                               std::optional<double> share);
    /// Units that start after this key are not handed out. Bounds only ever go down.
    void set_bound(UnitKey last_useful) { bound_ = std::min(bound_, last_useful); }
    /// Goes on at the start of this group, if it is not there yet.
    void skip_to(std::uint64_t group);
    /// Everything (up to the bound) is handed out.
    [[nodiscard]] bool at_end() const;

private:
    /// A piece of the nonces, searched group after group.
    struct Stream {
        std::size_t owner;  ///< kAnyWorker: all nonces are everybody's
        NonceRange piece;
        bool is_shared;  ///< anybody takes from it, and not only the owner
        std::uint64_t group = 0;
        std::uint64_t before = 0;  ///< nonces of the piece already handed out for this group

        [[nodiscard]] UnitKey key() const { return {group, static_cast<std::uint32_t>(piece.first + before)}; }
        void move_to(std::uint64_t to_group, std::uint64_t to_before);
    };

    [[nodiscard]] Stream* stream_for(std::size_t worker);
    [[nodiscard]] Stream& or_last(Stream& own);
    void skip_done(Stream& stream) const;
    [[nodiscard]] bool has_work(const Stream& stream) const;
    [[nodiscard]] std::uint64_t remaining(const Stream& stream) const;

    const WorkSpace space_;
    const IntervalSet* const done_;
    std::vector<Stream> streams_;
    UnitKey bound_ = kNoBound;
};

}  // namespace gpuminer
