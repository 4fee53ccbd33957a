#include "host/search/work_cursor.hpp"

#include <algorithm>
#include <limits>

#include "host/search/static_piece.hpp"

namespace gpuminer {
namespace {

/// Near the end of a shared stream units shrink so that all workers finish together, but not below this.
constexpr std::uint64_t kSmallestLastUnit = 4096;

/// Groups, of all pieces together, by which workers may be ahead of the slowest one while what is done is recorded: of
/// a group that is done in pieces each is an entry of its own, and there are up to 2^24 groups (BIP 323).
constexpr std::uint64_t kMostAhead = 1u << 16;

}  // namespace

WorkCursor::WorkCursor(const WorkSpace& space, PartitionMode mode, const IntervalSet* done)
    : space_(space), done_(done) {
    if (mode == PartitionMode::kStatic) return;
    streams_.push_back({kAnyWorker, space_.nonces, true});
    skip_done(streams_.back());
}

void WorkCursor::cut(const std::vector<std::size_t>& owners) {
    for (const std::size_t owner : owners) {
        streams_.push_back({owner, static_piece(space_.nonces, owners.size(), streams_.size()), false});
        skip_done(streams_.back());
    }
}

void WorkCursor::release(std::size_t worker) {
    const auto own = std::ranges::find(streams_, worker, &Stream::owner);
    if (own != streams_.end()) own->is_shared = true;
}

NonceRange WorkCursor::piece(std::size_t worker) const {
    const auto own = std::ranges::find_if(
        streams_, [&](const Stream& stream) { return stream.owner == worker || stream.owner == kAnyWorker; });
    return own != streams_.end() ? own->piece : NonceRange{};
}

std::optional<WorkUnit> WorkCursor::next(std::size_t worker, std::uint64_t max_nonces, std::optional<double> share) {
    Stream* const stream = stream_for(worker);
    if (stream == nullptr) return std::nullopt;
    if (stream->is_shared && share) {
        const double half = static_cast<double>(remaining(*stream)) / 2;
        max_nonces = std::min(max_nonces, std::max(kSmallestLastUnit, static_cast<std::uint64_t>(half * *share)));
    }
    if (done_ != nullptr) {
        const std::uint64_t position = space_.position(stream->key());
        if (const auto next_done = done_->first_above(position))
            max_nonces = std::min(max_nonces, *next_done - position);
    }
    WorkUnit rest{stream->group, {stream->key().nonce, stream->piece.count - stream->before}};
    const WorkUnit unit = rest.cut_front(max_nonces);
    stream->move_to(stream->group, stream->before + unit.nonces.count);
    skip_done(*stream);
    return unit;
}

void WorkCursor::skip_to(std::uint64_t group) {
    for (Stream& stream : streams_) {
        if (stream.group >= group) continue;
        stream.move_to(group, 0);
        skip_done(stream);
    }
}

bool WorkCursor::at_end() const {
    return is_cut() && std::ranges::none_of(streams_, [this](const Stream& stream) { return has_work(stream); });
}

void WorkCursor::Stream::move_to(std::uint64_t to_group, std::uint64_t to_before) {
    const bool is_next = to_before >= piece.count;
    group = is_next ? to_group + 1 : to_group;
    before = is_next ? 0 : to_before;
}

WorkCursor::Stream* WorkCursor::stream_for(std::size_t worker) {
    for (Stream& stream : streams_) {
        if (stream.owner == worker && !stream.is_shared && has_work(stream)) return &or_last(stream);
    }
    for (Stream& stream : streams_) {
        if (stream.is_shared && has_work(stream)) return &stream;
    }
    return nullptr;
}

/// The worker's own stream, or the one that is last, where its own is too far ahead of that.
WorkCursor::Stream& WorkCursor::or_last(Stream& own) {
    if (done_ == nullptr) return own;
    Stream& last = *std::ranges::min_element(
        streams_, {}, [this](const Stream& stream) { return has_work(stream) ? stream.group : space_.groups; });
    return own.group - last.group > kMostAhead / streams_.size() ? last : own;
}

/// Moves on to what is not done. (Of what lies ahead of a stream only earlier searches' work is.)
void WorkCursor::skip_done(Stream& stream) const {
    while (done_ != nullptr && stream.group < space_.groups && stream.piece.count > 0) {
        const auto end = done_->end_at(space_.position(stream.key()));
        if (!end) return;
        const UnitKey next = space_.key(*end);
        stream.move_to(next.group, next.nonce - std::min(next.nonce, stream.piece.first));
    }
}

bool WorkCursor::has_work(const Stream& stream) const {
    // A stream's keys ascend: once one is above the bound, so are all that follow.
    return stream.group < space_.groups && stream.piece.count > 0 && stream.key() <= bound_;
}

std::uint64_t WorkCursor::remaining(const Stream& stream) const {
    std::uint64_t whole_groups = 0;  // saturates: 2^32 nonces times 2^32 groups
    if (__builtin_mul_overflow(space_.groups - stream.group, stream.piece.count, &whole_groups)) {
        return std::numeric_limits<std::uint64_t>::max();
    }
    return whole_groups - stream.before;
}

}  // namespace gpuminer
