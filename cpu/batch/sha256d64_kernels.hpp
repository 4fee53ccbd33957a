// The kernels of sha256d64() and others that hash inputs of one size, and the choice among them by number of inputs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/batch/width_plan.hpp"
#include "cpu/machine/features.hpp"

namespace gpuminer::cpu {

/// Hashes `groups` groups, each of as many inputs as the kernel is wide; otherwise as sha256d64(), in place too.
using BatchFunction = void (*)(std::uint8_t* out, const std::uint8_t* in, std::size_t groups);

// One file per ISA (isa_list.inc), as the search. Callable only where the CPU has the ISA.
#define GPUMINER_BATCH(isa, function, need, width) \
    void function(std::uint8_t* out, const std::uint8_t* in, std::size_t groups);
#include "cpu/isa_list.inc"

struct BatchKernel {
    const char* isa;    ///< "avx2": as in isa_list.inc
    std::size_t width;  ///< inputs per group
    BatchFunction run;
    bool Features::*needs;         ///< null: every CPU has it
    const char* missing;           ///< why a CPU without it cannot run it
    std::size_t input_bytes = 64;  ///< of each input; each hash has 32

    [[nodiscard]] bool usable(const Features& features) const { return needs == nullptr || features.*needs; }
};
// No kernel of a table is wider than the widest here.
inline constexpr std::size_t kWidestBatchKernel = std::max({
#define GPUMINER_BATCH(isa, function, need, width) std::size_t{width},
#include "cpu/isa_list.inc"
});

static_assert(kWidestBatchKernel <= WidthPlan::kWidest);

/// Every kernel of sha256d64(), the narrowest first. An ISA may have several, of different widths.
[[nodiscard]] std::span<const BatchKernel> batch_kernels();

/// Any number of inputs with one kernel; a last group that is not full is filled up with zeros.
void run_batch(const BatchKernel& kernel, std::uint8_t* out, const std::uint8_t* in, std::size_t count);

struct TimedKernel {
    const BatchKernel* kernel;
    double seconds;  ///< for one group, full or not
};

/// The cheapest way to hash any number of inputs with kernels of known speed.
class BatchPlan {
public:
    /// `kernels`: at least one; all of batch_kernels().
    explicit BatchPlan(std::span<const TimedKernel> kernels);
    BatchPlan(std::span<const BatchKernel> table, const WidthPlan& plan) : table_(table), plan_(plan) {}

    /// See WidthPlan.
    [[nodiscard]] const BatchKernel& bulk() const { return table_[plan_.bulk()]; }
    [[nodiscard]] const BatchKernel& next(std::size_t left) const { return table_[plan_.next(left)]; }
    void run(std::uint8_t* out, const std::uint8_t* in, std::size_t count) const;

private:
    std::span<const BatchKernel> table_;
    WidthPlan plan_;
};

/// Times the kernels that these features allow, once each, and plans with that.
[[nodiscard]] WidthPlan measured_plan(std::span<const BatchKernel> table, const Features& features);
[[nodiscard]] BatchPlan measured_batch_plan(const Features& features);

}  // namespace gpuminer::cpu
