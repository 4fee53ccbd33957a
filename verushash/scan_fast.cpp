// The search with instructions for AES and carry-less products. The operation of a nonce's next round depends on its
// data, and a branch on that is mispredicted seven times out of eight. So many nonces are processed at once, each in a
// lane, and wait in a queue for each operation; kGroup lanes of one queue are served at a time. The next queue is
// chosen before the current group is served, so that the processor need not wait for its results.
#include "verushash/lane.hpp"
#include "verushash/scan_function.hpp"

namespace gpuminer::verushash {
namespace {

constexpr int kFinished = kOperations;  ///< the queue of lanes whose 32 rounds are over
constexpr int kQueues = kOperations + 1;
constexpr int kGroup = 4;  // 2 and 8 are slower: fewer at a time, and lanes that do not fit a second-level cache
/// So many that, with one group chosen and another being served, a queue has a full group at all times.
constexpr int kLanes = kQueues * (kGroup - 1) + 1 + kGroup;

/// Lengths of the queues, seven bits each, in one register; the queues themselves are stacks.
class Queues {
public:
    static constexpr int kNone = -1;

    void push(Lane& lane, int queue) {
        const int shift = kBits * queue;
        lanes_[queue][lengths_ >> shift & kMask] = &lane;
        lengths_ += std::uint64_t{1} << shift;
    }
    /// Takes kGroup lanes of a queue that has so many; kNone: there is none.
    int pop_group(Lane** group) {
        const std::uint64_t full = lengths_ & kLongEnough;
        if (full == 0) return kNone;
        const int queue = __builtin_ctzll(full) / kBits;
        pop(queue, kGroup, group);
        return queue;
    }
    /// Takes one lane of any queue.
    int pop_one(Lane** lane) {
        if (lengths_ == 0) return kNone;
        const int queue = __builtin_ctzll(lengths_) / kBits;
        pop(queue, 1, lane);
        return queue;
    }

private:
    static constexpr int kBits = 7;
    static constexpr std::uint64_t kMask = (1 << kBits) - 1;
    static_assert((kGroup & (kGroup - 1)) == 0, "a length is long enough where one of its upper bits is set");
    static_assert(kLanes <= static_cast<int>(kMask) && kBits * kQueues <= 64);

    static constexpr std::uint64_t kOneInEach = ((std::uint64_t{1} << kBits * kQueues) - 1) / kMask;
    static constexpr std::uint64_t kLongEnough = kOneInEach * (kMask & ~std::uint64_t{kGroup - 1});

    void pop(int queue, int count, Lane** lanes) {
        const int shift = kBits * queue;
        lengths_ -= static_cast<std::uint64_t>(count) << shift;
        const std::uint64_t at = lengths_ >> shift & kMask;
        for (int i = 0; i < count; ++i) lanes[i] = lanes_[queue][at + static_cast<std::uint64_t>(i)];
    }

    std::uint64_t lengths_ = 0;
    Lane* lanes_[kQueues][kLanes];
};

class Search {
public:
    explicit Search(ScanArguments& arguments)
        : arguments_(arguments), job_(*arguments.job), next_nonce_(arguments.first_nonce), left_(arguments.count) {}

    void run() {
        auto* const lanes = static_cast<Lane*>(arguments_.workspace);
        for (int i = 0; i < kLanes && left_ > 0; ++i) start(lanes[i]);
        serve_groups();
        Lane* lane = nullptr;
        for (int queue = queues_.pop_one(&lane); queue != Queues::kNone; queue = queues_.pop_one(&lane)) {
            serve<1>(queue, &lane);
        }
    }

private:
    void serve_groups() {
        Lane* groups[2][kGroup];
        int current = 0;
        for (int queue = queues_.pop_group(groups[current]); queue != Queues::kNone; current ^= 1) {
            int next = queues_.pop_group(groups[current ^ 1]);
            serve<kGroup>(queue, groups[current]);
            if (next == Queues::kNone) next = queues_.pop_group(groups[current ^ 1]);
            queue = next;
        }
    }

    template <int kCount>
    void serve(int queue, Lane* const* lanes) {
        switch (queue) {
            case 0: return operate_all<0, kCount>(lanes);
            case 1: return operate_all<1, kCount>(lanes);
            case 2: return operate_all<2, kCount>(lanes);
            case 3: return operate_all<3, kCount>(lanes);
            case 4: return operate_all<4, kCount>(lanes);
            case 5: return operate_all<5, kCount>(lanes);
            case 6: return operate_all<6, kCount>(lanes);
            case 7: return operate_all<7, kCount>(lanes);
            default: return finish_all<kCount>(lanes);
        }
    }

    template <int kNumber, int kCount>
    void operate_all(Lane* const* lanes) {
        for (int i = 0; i < kCount; ++i) {
            Round round(*lanes[i]);
            operate<kNumber>(round);
            begin_round(*lanes[i], round.accumulator);
        }
    }

    template <int kCount>
    void finish_all(Lane* const* lanes) {
        for (int i = 0; i < kCount; ++i) finish(*lanes[i]);
        for (int i = 0; i < kCount; ++i) {
            if (left_ > 0) start(*lanes[i]);
        }
    }

    void start(Lane& lane) {
        --left_;
        set_nonce(lane, job_, next_nonce_++);
        lane.rounds = 0;
        begin_round(lane, load(lane.key + kFirstAccumulator));
    }

    /// Puts the lane into the queue of its next operation. What a 33rd round would change is not written down.
    void begin_round(Lane& lane, Vector accumulator) {
        const bool finished = lane.rounds == kLaneRounds;
        const std::uint64_t selector = note_round(lane, accumulator);
        __builtin_prefetch(lane.vector_at(first_place(selector)));
        __builtin_prefetch(lane.vector_at(second_place(selector)));
        queues_.push(lane, finished ? kFinished : operation_of(selector));
    }

    void finish(Lane& lane) {
        if (top_word(lane, job_) <= arguments_.target_top) {
            if (arguments_.found < arguments_.capacity) arguments_.candidates[arguments_.found] = {0, lane.nonce};
            ++arguments_.found;
        }
        restore(lane, job_);
    }

    ScanArguments& arguments_;
    const JobVectors job_;
    std::uint32_t next_nonce_;
    std::uint64_t left_;
    Queues queues_;
};

}  // namespace

std::size_t fast::workspace_bytes() { return kLanes * sizeof(Lane); }

void fast::reset_workspace(void* workspace, const PreparedJob& job) {
    for (int i = 0; i < kLanes; ++i) copy_key(static_cast<Lane*>(workspace)[i], job);
}

void fast::scan(ScanArguments& arguments) {
    arguments.found = 0;
    Search(arguments).run();
}

}  // namespace gpuminer::verushash
