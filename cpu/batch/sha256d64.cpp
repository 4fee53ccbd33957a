#include "cpu/batch/sha256d64.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

#include "cpu/batch/sha256d64_kernels.hpp"
#include "cpu/machine/upper_halves.hpp"
#include "host/threads.hpp"

namespace gpuminer {
namespace cpu {
namespace {

constexpr std::size_t kInputBytes = 64, kHashBytes = 32;

constexpr std::array kKernels = {
#define GPUMINER_BATCH(isa, function, need, width) \
    BatchKernel{#isa, width, function, Needs::need().feature, Needs::need().missing},
#include "cpu/isa_list.inc"
};

/// At most one group, from and to memory that need not hold a full one.
void run_partial(const BatchKernel& kernel, std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    std::array<std::uint8_t, kWidestBatchKernel * kInputBytes> inputs;
    std::array<std::uint8_t, kWidestBatchKernel * kHashBytes> hashes;
    std::memcpy(inputs.data(), in, count * kInputBytes);
    std::memset(&inputs[count * kInputBytes], 0, (kernel.width - count) * kInputBytes);
    kernel.run(hashes.data(), inputs.data(), 1);
    std::memcpy(out, hashes.data(), count * kHashBytes);
}

/// Seconds for one group by itself: the best of several short runs, so that an interruption does not decide.
double time_kernel(const BatchKernel& kernel) {
    constexpr int kGroups = 8;
    std::array<std::uint8_t, kWidestBatchKernel * kInputBytes> inputs{};
    std::array<std::uint8_t, kWidestBatchKernel * kHashBytes> hashes;
    double best = std::numeric_limits<double>::infinity();
    constexpr int kRounds = 12;  // the first ones wake wide units up
    for (int round = 0; round < kRounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int group = 0; group < kGroups; ++group) kernel.run(hashes.data(), inputs.data(), 1);
        best = std::min(best, seconds_since(start));
    }
    return best / kGroups;
}

}  // namespace

std::span<const BatchKernel> batch_kernels() { return kKernels; }

void run_batch(const BatchKernel& kernel, std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    clear_upper_halves();
    const std::size_t groups = count / kernel.width, done = groups * kernel.width;
    if (groups != 0) kernel.run(out, in, groups);
    if (done != count) run_partial(kernel, out + done * kHashBytes, in + done * kInputBytes, count - done);
}

BatchPlan::BatchPlan(std::span<const TimedKernel> kernels) {
    const auto per_input = [](const TimedKernel& timed) {
        return timed.seconds / static_cast<double>(timed.kernel->width);
    };
    bulk_ = std::min_element(kernels.begin(), kernels.end(), [&](const TimedKernel& x, const TimedKernel& y) {
                return per_input(x) < per_input(y);
            })->kernel;
    // The best way for n inputs: a group of some kernel, then the best way for what it leaves.
    std::array<double, kWidestBatchKernel> best{};
    for (std::size_t left = 1; left < bulk_->width; ++left) {
        best[left] = std::numeric_limits<double>::infinity();
        for (const TimedKernel& timed : kernels) {
            const double seconds = timed.seconds + best[left - std::min(left, timed.kernel->width)];
            if (seconds < best[left]) {
                best[left] = seconds;
                next_[left] = timed.kernel;
            }
        }
    }
}

void BatchPlan::run(std::uint8_t* out, const std::uint8_t* in, std::size_t count) const {
    clear_upper_halves();
    const std::size_t groups = count / bulk_->width, done = groups * bulk_->width;
    if (groups != 0) bulk_->run(out, in, groups);
    for (std::size_t at = done; at < count;) {
        const BatchKernel& kernel = next(count - at);
        const std::size_t inputs = std::min(kernel.width, count - at);
        run_batch(kernel, out + at * kHashBytes, in + at * kInputBytes, inputs);
        at += inputs;
    }
}

BatchPlan measured_batch_plan(const Features& features) {
    std::vector<TimedKernel> timed;
    for (const BatchKernel& kernel : kKernels) {
        if (kernel.usable(features)) timed.push_back({&kernel, time_kernel(kernel)});
    }
    return BatchPlan(timed);
}

}  // namespace cpu

void sha256d64(std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    static const cpu::BatchPlan plan = cpu::measured_batch_plan(cpu::detect_features());
    plan.run(out, in, count);
}

}  // namespace gpuminer
