// The search with AES-NI and PCLMULQDQ. Which operation a nonce's next round is depends on its data, and a branch on
// that is mispredicted seven times of eight. So many nonces are under way at once, each in a lane, and wait in a queue
// for each operation; kGroup lanes of one queue are served at a time. Which queue comes next is decided before the
// current group is served, so that the processor need not wait for its results.
#include "verushash/aesni_lane.hpp"
#include "verushash/scan_function.hpp"

namespace gpuminer::verushash {
namespace {

constexpr int kOperations = 8;
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
        : arguments_(arguments),
          job_key_(reinterpret_cast<const char*>(arguments.job->key)),
          next_nonce_(arguments.first_nonce),
          left_(arguments.count) {
        const auto* buffer = reinterpret_cast<const Vector*>(arguments.job->buffer);
        state_[0] = load(buffer);
        state_[1] = load(buffer + 1);
        rest_[0] = load(buffer + 2);
        rest_[1] = load(buffer + 3);
    }

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
        lane.nonce = next_nonce_++;
        --left_;
        const Vector with_nonce = _mm_insert_epi32(rest_[0], static_cast<int>(lane.nonce), 0);
        lane.buffer[0] = add(state_[0], with_nonce);
        lane.buffer[1] = add(state_[1], rest_[1]);
        lane.buffer[2] = with_nonce;
        lane.buffer[3] = rest_[1];
        lane.rounds = 0;
        begin_round(lane, load(lane.key + kFirstAccumulator));
    }

    /// Puts the lane into the queue of its next operation. What a 33rd round would change is not written down.
    void begin_round(Lane& lane, Vector accumulator) {
        const std::uint64_t selector = low_half(accumulator);
        const Place first = first_place(selector), second = second_place(selector);
        store(&lane.accumulator, accumulator);
        const bool finished = lane.rounds == kLaneRounds;
        Place* const places = &lane.places[2 * lane.rounds];  // there is room for one pair too many
        places[0] = first;
        places[1] = second;
        ++lane.rounds;
        _mm_prefetch(reinterpret_cast<const char*>(lane.vector_at(first)), _MM_HINT_T0);
        _mm_prefetch(reinterpret_cast<const char*>(lane.vector_at(second)), _MM_HINT_T0);
        queues_.push(lane, finished ? kFinished : static_cast<int>(selector >> 2 & 7));
    }

    void finish(Lane& lane) {
        const std::uint64_t intermediate = reduce(lane.accumulator);
        const Vector bytes = _mm_cvtsi64_si128(static_cast<long long>(intermediate));
        // From byte 47 of the buffer on: bytes 0 … 7 again and again.
        const Vector fill = _mm_shuffle_epi8(bytes, _mm_setr_epi8(1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0));
        const Vector third = _mm_insert_epi8(lane.buffer[2], static_cast<int>(intermediate & 0xff), 15);
        FourStates states{state_[0], state_[1], third, fill};
        const Vector* keys = lane.key + (intermediate & 511);
        for (int round = 0; round < 5; ++round, keys += 8) {
            encrypt_four(states, keys);
            mix_four(states);
        }
        // Of the digest only bytes 24 … 31 are computed: the most significant, the number being little-endian.
        const auto top = static_cast<std::uint32_t>(low_half(add(states.d, fill)) >> 32);
        if (top <= arguments_.target_top) {
            if (arguments_.found < arguments_.capacity) arguments_.candidates[arguments_.found] = {0, lane.nonce};
            ++arguments_.found;
        }
        restore(lane);
    }

    static std::uint64_t reduce(Vector accumulator) {
        const Vector polynomial = _mm_cvtsi64_si128(0x1b);
        const Vector sum = add(accumulator, _mm_cvtsi64_si128(1 << 16));
        const Vector once = _mm_clmulepi64_si128(sum, polynomial, 0x01);
        return low_half(add(add(sum, once), _mm_clmulepi64_si128(once, polynomial, 0x01)));
    }

    /// The lane's key becomes the job's again, where rounds have changed it.
    void restore(Lane& lane) {
        for (int i = 0; i < 2 * kLaneRounds; ++i) {
            const Place place = lane.places[i];
            store(lane.vector_at(place), load(reinterpret_cast<const Vector*>(job_key_ + place)));
        }
    }

    ScanArguments& arguments_;
    const char* job_key_;
    Vector state_[2];
    Vector rest_[2];
    std::uint32_t next_nonce_;
    std::uint64_t left_;
    Queues queues_;
};

}  // namespace

void prepare_aesni(const std::uint8_t* header, PreparedJob& job) {
    alignas(16) Vector constants[40];
    for (int i = 0; i < 40; ++i) constants[i] = haraka_constant(i);
    const auto unaligned = [&](int block, int half) {
        return _mm_loadu_si128(reinterpret_cast<const Vector*>(&header[32 * block + 16 * half]));
    };
    Vector state[2] = {_mm_setzero_si128(), _mm_setzero_si128()};
    for (int block = 0; block < 46; ++block) {
        const FourStates in{state[0], state[1], unaligned(block, 0), unaligned(block, 1)};
        FourStates s = in;
        for (std::size_t round = 0; round < 5; ++round) {
            encrypt_four(s, &constants[8 * round]);
            mix_four(s);
        }
        state[0] = _mm_unpackhi_epi64(add(s.a, in.a), add(s.b, in.b));
        state[1] = _mm_unpacklo_epi64(add(s.c, in.c), add(s.d, in.d));
    }
    auto* const buffer = reinterpret_cast<Vector*>(job.buffer);
    store(buffer, state[0]);
    store(buffer + 1, state[1]);
    for (int i = 0; i < 15; ++i) job.buffer[32 + i] = header[46 * 32 + i];
    for (int i = 47; i < 64; ++i) job.buffer[i] = job.buffer[(i - 47) % 16];

    auto* const key = reinterpret_cast<Vector*>(job.key);
    for (int i = 0; i < kKeyLength; i += 2) {
        Vector x = state[0], y = state[1];
        for (std::size_t round = 0; round < 5; ++round) {
            encrypt_two(x, y, &constants[4 * round]);
            mix_two(x, y);
        }
        state[0] = add(state[0], x);
        state[1] = add(state[1], y);
        store(key + i, state[0]);
        store(key + i + 1, state[1]);
    }
}

std::size_t scan_workspace_bytes_aesni() { return kLanes * sizeof(Lane); }

void reset_workspace_aesni(void* workspace, const PreparedJob& job) {
    const auto* const key = reinterpret_cast<const Vector*>(job.key);
    for (int lane = 0; lane < kLanes; ++lane) {
        for (int i = 0; i < kKeyLength; ++i) store(static_cast<Lane*>(workspace)[lane].key + i, load(key + i));
    }
}

void scan_aesni(ScanArguments& arguments) {
    arguments.found = 0;
    Search(arguments).run();
}

}  // namespace gpuminer::verushash
