#include "cpu/batch/messages.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "cpu/batch/message_parts.hpp"
#include "cpu/batch/messages_kernels.hpp"
#include "cpu/machine/upper_halves.hpp"

namespace gpuminer {
namespace cpu {
namespace {

constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kWidest = kWidestBatchKernel;

constexpr std::array kKernels = {
#define GPUMINER_MESSAGES(isa, function, need, width, layout) \
    MessageKernel{#isa, width, StateLayout::layout, function, nullptr, Needs::need().feature, Needs::need().missing},
#define GPUMINER_MESSAGE(isa, function, need, layout) \
    MessageKernel{                                    \
        #isa, 1, StateLayout::layout, function, function##_alone, Needs::need().feature, Needs::need().missing},
#include "cpu/isa_list.inc"
};
constexpr std::array kDigestKernels = {
#define GPUMINER_MESSAGES(isa, function, need, width, layout) \
    BatchKernel{#isa, width, function##_again, Needs::need().feature, Needs::need().missing, kDigestBytes},
#include "cpu/isa_list.inc"
};
static_assert(kKernels.size() <= WidthPlan::kMostKernels);
static_assert(std::ranges::all_of(kKernels, [](const MessageKernel& kernel) { return kernel.width <= kWidest; }));

void hash_alone(const MessageKernel& kernel, std::uint8_t* digest, const Message& message) {
    Tail tail;
    const std::size_t whole = tail.write(message, 0);
    kernel.alone(digest, {message.data, whole, tail.blocks(), tail.count()});
}

/// What is still to be compressed of a message that has a place.
struct Progress {
    const std::uint8_t* next;  ///< block
    std::size_t left;          ///< blocks from there on
    std::size_t tail_blocks;   ///< then, in `tail`; 0: `next` is there
    Tail* tail;
    std::uint8_t* digest;
};

/// Some messages on their way through the kernels. The longest begin, and as one ends, the next takes its place.
class Chunk {
public:
    Chunk(const WidthPlan& plan, std::uint8_t* out, std::span<const Message> messages)
        : plan_(plan), out_(out), messages_(messages), order_(messages) {}

    void hash() {
        for (std::size_t i = 0; i < kWidest; ++i) free_tails_[i] = &tails_[i];
        while (pending() != 0) run(kernel_for(pending()));
    }

    static const MessageKernel& kernel_for(const WidthPlan& plan, std::size_t messages) {
        const MessageKernel* widest = &kKernels[plan.bulk()];
        if (messages >= widest->width) return *widest;
        widest = &kKernels[plan.next(messages)];  // of those that the plan would run, in whichever order
        for (std::size_t left = messages; left != 0;) {
            const MessageKernel& kernel = kKernels[plan.next(left)];
            if (kernel.width > widest->width) widest = &kernel;
            left -= std::min(left, kernel.width);
        }
        return *widest;
    }

private:
    struct Waiting {
        Progress progress;
        State state;
    };

    [[nodiscard]] const MessageKernel& kernel_for(std::size_t messages) const { return kernel_for(plan_, messages); }
    /// Messages that have no place.
    [[nodiscard]] std::size_t pending() const { return messages_.size() - begun_ + waiting_count_ - resumed_; }

    /// The next one gets a place.
    Progress take(std::uint32_t* states, const MessageKernel& kernel, std::size_t place) {
        if (resumed_ != waiting_count_) {
            const Waiting& waiting = waiting_[resumed_++];
            set_state(states, kernel, place, waiting.state);
            return waiting.progress;
        }
        const std::size_t index = order_[begun_++];
        const Message& message = messages_[index];
        set_initial_state(states, kernel, place);
        Tail* const tail = free_tails_[--free_count_];
        const std::size_t blocks = tail->write(message);
        std::uint8_t* const digest = out_ + kDigestBytes * index;
        if (blocks == 0) return {tail->blocks(), tail->count(), 0, tail, digest};
        return {message.data, blocks, tail->count(), tail, digest};
    }

    /// Until no message is without a place, and another kernel is better for the ones that are left: these then wait.
    void run(const MessageKernel& kernel) {
        alignas(64) std::array<std::uint32_t, 8 * kWidest> storage{};
        std::uint32_t* const states = storage.data();
        std::array<Progress, kWidest> places;
        std::size_t active = 0;
        while (active < kernel.width && pending() != 0) {
            places[active] = take(states, kernel, active);
            ++active;
        }
        while (active != 0) {
            compress(kernel, states, std::span(places).first(active));
            for (std::size_t i = active; i-- != 0;) {
                Progress& progress = places[i];
                if (progress.left != 0) continue;
                if (progress.tail_blocks != 0) {
                    progress.next = progress.tail->blocks();
                    progress.left = std::exchange(progress.tail_blocks, 0);
                    continue;
                }
                store_digest(progress.digest, states, kernel, i);
                free_tails_[free_count_++] = progress.tail;
                if (pending() != 0) {
                    progress = take(states, kernel, i);
                } else if (--active != i) {
                    progress = places[active];
                    set_state(states, kernel, i, state_of(states, kernel, active));
                }
            }
            if (active != 0 && active < kernel.width && &kernel_for(active) != &kernel)
                return wait(kernel, states, std::span(places).first(active));
        }
    }

    /// As many blocks of each as the shortest one has.
    static void compress(const MessageKernel& kernel, std::uint32_t* states, std::span<Progress> places) {
        std::size_t count = std::numeric_limits<std::size_t>::max();
        for (const Progress& progress : places) count = std::min(count, progress.left);
        std::array<const std::uint8_t*, kWidest> blocks;
        for (std::size_t i = 0; i < kernel.width; ++i) blocks[i] = places[i < places.size() ? i : 0].next;
        kernel.compress(states, blocks.data(), count);
        for (Progress& progress : places) {
            progress.next += count * kBlockBytes;
            progress.left -= count;
        }
    }

    void wait(const MessageKernel& kernel, std::uint32_t* states, std::span<const Progress> places) {
        waiting_count_ = places.size();
        resumed_ = 0;
        for (std::size_t i = 0; i < places.size(); ++i) waiting_[i] = {places[i], state_of(states, kernel, i)};
        std::sort(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_count_),
                  [](const Waiting& x, const Waiting& y) {
                      return x.progress.left + x.progress.tail_blocks > y.progress.left + y.progress.tail_blocks;
                  });
    }

    WidthPlan plan_;
    std::uint8_t* out_;
    std::span<const Message> messages_;
    Order order_;
    std::size_t begun_ = 0;  // of the messages, by order
    std::array<Waiting, kWidest> waiting_;
    std::size_t waiting_count_ = 0, resumed_ = 0;
    std::array<Tail, kWidest> tails_;
    std::array<Tail*, kWidest> free_tails_;
    std::size_t free_count_ = kWidest;
};

/// Where lanes and their order cost more than interleaved streams gain: measured with 32 to 400 bytes.
bool are_few_and_short(std::span<const Message> messages) {
    constexpr std::size_t kFew = 8, kShort = 4;
    return messages.size() <= kFew &&
           std::ranges::all_of(messages, [](const Message& message) { return blocks_of(message) <= kShort; });
}

double time_kernel(const MessageKernel& kernel) {
    constexpr std::size_t kBlocks = 2;
    const std::array<std::uint8_t, kBlocks * kBlockBytes> block{};
    std::array<const std::uint8_t*, kWidest> blocks;
    blocks.fill(block.data());
    alignas(64) std::array<std::uint32_t, 8 * kWidest> states{};
    return seconds_of_call([&] { kernel.compress(states.data(), blocks.data(), kBlocks); }) / kBlocks;
}

template <class Seconds>
WidthPlan plan_of(Seconds seconds_of) {
    std::array<TimedWidth, kKernels.size()> timed;
    for (std::size_t i = 0; i < timed.size(); ++i) timed[i] = {kKernels[i].width, seconds_of(i)};
    return WidthPlan(timed);
}

WidthPlan measured_plan_of_messages(const Features& features) {
    return plan_of([&](std::size_t i) {
        return kKernels[i].usable(features) ? time_kernel(kKernels[i]) : std::numeric_limits<double>::infinity();
    });
}

}  // namespace

std::span<const MessageKernel> message_kernels() { return kKernels; }
std::span<const BatchKernel> digest_kernels() { return kDigestKernels; }

MessagePlan measured_message_plan(const Features& features) {
    return {measured_plan_of_messages(features), measured_plan(kDigestKernels, features)};
}

MessagePlan plan_with(std::size_t kernel) {
    const WidthPlan plan =
        plan_of([kernel](std::size_t i) { return i == kernel ? 1.0 : std::numeric_limits<double>::infinity(); });
    return {plan, plan};
}

void hash_messages(const MessagePlan& plan, std::uint8_t* out, std::span<const Message> messages) noexcept {
    clear_upper_halves();
    while (!messages.empty()) {
        const std::size_t count = std::min(messages.size(), kChunk);
        const MessageKernel& kernel = Chunk::kernel_for(plan.messages, count);
        const bool one_by_one = kernel.layout != StateLayout::kLanes && are_few_and_short(messages.first(count));
        const MessageKernel& single = one_by_one ? Chunk::kernel_for(plan.messages, 1) : kernel;
        if (single.width == 1) {
            for (std::size_t i = 0; i < count; ++i) hash_alone(single, out + kDigestBytes * i, messages[i]);
        } else {
            Chunk(plan.messages, out, messages.first(count)).hash();
            BatchPlan(kDigestKernels, plan.digests).run(out, out, count);  // in place
        }
        out += kDigestBytes * count;
        messages = messages.subspan(count);
    }
}

}  // namespace cpu

void sha256d_messages(std::uint8_t* out, std::span<const Message> messages) noexcept {
    static constinit cpu::SharedPlan of_messages, of_digests;
    const cpu::MessagePlan plan = {
        of_messages.get([] { return cpu::measured_plan_of_messages(cpu::detect_features()); }),
        of_digests.get([] { return cpu::measured_plan(cpu::kDigestKernels, cpu::detect_features()); })};
    cpu::hash_messages(plan, out, messages);
}

}  // namespace gpuminer
