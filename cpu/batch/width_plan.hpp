// The cheapest way through any number of inputs, with kernels of several widths and known speeds.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace gpuminer::cpu {

/// A kernel, as a plan sees it: hashes that many inputs at a time, in so many seconds, whether there are as many or
/// not.
struct TimedWidth {
    std::size_t width;
    double seconds;  ///< infinity: not to be used
};

/// Kernels are numbers: their places in the table that was timed. The whole plan is one number, so that threads can
/// share it in an atomic without a lock, which a fork might leave locked in the child.
class WidthPlan {
public:
    static constexpr std::size_t kWidest = 16, kMostKernels = 15;

    /// Of `kernels`, at most kMostKernels, at least one has a finite time.
    explicit WidthPlan(std::span<const TimedWidth> kernels);

    /// The kernel with the least time per input: runs as long as its groups are full.
    [[nodiscard]] std::size_t bulk() const { return place(0); }
    /// The kernel that comes first when fewer inputs are left than bulk() is wide (1 … its width - 1).
    [[nodiscard]] std::size_t next(std::size_t left) const { return place(left); }

private:
    friend class SharedPlan;
    explicit WidthPlan(std::uint64_t places) : places_(places) {}

    [[nodiscard]] std::size_t place(std::size_t at) const { return (places_ >> 4 * at & 15) - 1; }
    void set(std::size_t at, std::size_t place) { places_ |= static_cast<std::uint64_t>(place + 1) << 4 * at; }

    std::uint64_t places_ = 0;  // sixteen of four bits, each plus one: bulk(), next(1), next(2), …
};

/// A plan that is made when it is first asked for, once per process, or by a few threads at the same time: any of their
/// plans is as good.
class SharedPlan {
public:
    template <class Measure>
    WidthPlan get(Measure measure) {
        const std::uint64_t known = places_.load(std::memory_order_relaxed);
        if (known != 0) return WidthPlan(known);
        const WidthPlan plan = measure();
        places_.store(plan.places_, std::memory_order_relaxed);
        return plan;
    }

private:
    std::atomic<std::uint64_t> places_{0};
};

/// Seconds that one call takes: the best of several short runs, so that an interruption does not decide.
template <class Call>
double seconds_of_call(Call call) {
    constexpr int kCalls = 8, kRounds = 12;  // the first rounds wake wide units up
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kRounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < kCalls; ++i) call();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best / kCalls;
}

}  // namespace gpuminer::cpu
