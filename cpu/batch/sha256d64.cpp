#include "cpu/batch/sha256d64.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "cpu/batch/sha256d64_kernels.hpp"
#include "cpu/machine/upper_halves.hpp"

namespace gpuminer {
namespace cpu {
namespace {

constexpr std::size_t kMostInputBytes = 64, kHashBytes = 32;

constexpr std::array kKernels = {
#define GPUMINER_BATCH(isa, function, need, width) \
    BatchKernel{#isa, width, function, Needs::need().feature, Needs::need().missing},
#include "cpu/isa_list.inc"
};
static_assert(kKernels.size() <= WidthPlan::kMostKernels);

/// At most one group, from and to memory that need not hold a full one.
void run_partial(const BatchKernel& kernel, std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    std::array<std::uint8_t, kWidestBatchKernel * kMostInputBytes> inputs;
    std::array<std::uint8_t, kWidestBatchKernel * kHashBytes> hashes;
    const std::size_t bytes = count * kernel.input_bytes;
    std::memcpy(inputs.data(), in, bytes);
    std::memset(&inputs[bytes], 0, kernel.width * kernel.input_bytes - bytes);
    kernel.run(hashes.data(), inputs.data(), 1);
    std::memcpy(out, hashes.data(), count * kHashBytes);
}

void run_groups(const BatchKernel& kernel, std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    const std::size_t groups = count / kernel.width, done = groups * kernel.width;
    if (groups != 0) kernel.run(out, in, groups);
    if (done != count) run_partial(kernel, out + done * kHashBytes, in + done * kernel.input_bytes, count - done);
}

double time_kernel(const BatchKernel& kernel) {
    std::array<std::uint8_t, kWidestBatchKernel * kMostInputBytes> inputs{};
    std::array<std::uint8_t, kWidestBatchKernel * kHashBytes> hashes;
    return seconds_of_call([&] { kernel.run(hashes.data(), inputs.data(), 1); });
}

/// The same kernels by their places in a table, those that are not among them with no end of time.
template <class Timed>
WidthPlan plan_of(std::span<const BatchKernel> table, Timed seconds_of) {
    std::array<TimedWidth, WidthPlan::kMostKernels> timed{};
    for (std::size_t i = 0; i < table.size(); ++i) timed[i] = {table[i].width, seconds_of(table[i])};
    return WidthPlan(std::span(timed).first(table.size()));
}

}  // namespace

std::span<const BatchKernel> batch_kernels() { return kKernels; }

void run_batch(const BatchKernel& kernel, std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    clear_upper_halves();
    run_groups(kernel, out, in, count);
}

BatchPlan::BatchPlan(std::span<const TimedKernel> kernels)
    : BatchPlan(kKernels, plan_of(kKernels, [&](const BatchKernel& kernel) {
                    const auto timed = std::ranges::find(kernels, &kernel, &TimedKernel::kernel);
                    return timed == kernels.end() ? std::numeric_limits<double>::infinity() : timed->seconds;
                })) {}

void BatchPlan::run(std::uint8_t* out, const std::uint8_t* in, std::size_t count) const {
    clear_upper_halves();
    const std::size_t groups = count / bulk().width, done = groups * bulk().width;
    if (groups != 0) bulk().run(out, in, groups);
    for (std::size_t at = done; at < count;) {
        const BatchKernel& kernel = next(count - at);
        const std::size_t inputs = std::min(kernel.width, count - at);
        run_groups(kernel, out + at * kHashBytes, in + at * kernel.input_bytes, inputs);
        at += inputs;
    }
}

WidthPlan measured_plan(std::span<const BatchKernel> table, const Features& features) {
    return plan_of(table, [&](const BatchKernel& kernel) {
        return kernel.usable(features) ? time_kernel(kernel) : std::numeric_limits<double>::infinity();
    });
}

BatchPlan measured_batch_plan(const Features& features) { return {kKernels, measured_plan(kKernels, features)}; }

}  // namespace cpu

void sha256d64(std::uint8_t* out, const std::uint8_t* in, std::size_t count) {
    static constinit cpu::SharedPlan shared;
    const cpu::WidthPlan plan = shared.get([] { return cpu::measured_plan(cpu::kKernels, cpu::detect_features()); });
    cpu::BatchPlan(cpu::kKernels, plan).run(out, in, count);
}

}  // namespace gpuminer
