// Workload `sha256d64`: double SHA-256 of 64-byte inputs, in batches by size and one at a time; and each kernel
// compared with the limit of the execution ports.
#include "cpu/batch/sha256d64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>

#include "bench/workloads/cpu_workloads.hpp"
#include "bench/workloads/port_limit.hpp"
#include "bench/workloads/port_probe.hpp"
#include "bench/workloads/timed_work.hpp"
#include "host/block/checker.hpp"

namespace gpuminer::bench {
namespace {

/// All that fit one vector, the sizes around whole ones, then powers of two.
constexpr std::array<std::size_t, 36> kSizes = {1,  2,  3,   4,   5,   6,    7,    8,    9,    10,    11,    12,
                                                13, 14, 15,  16,  17,  20,   24,   31,   32,   33,    48,    63,
                                                64, 65, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
constexpr std::size_t kKernelInputs = 1024;  ///< of each measured call of one kernel
constexpr const char* kUnit = "ns per 64-byte input";

/// Inputs, OpenSSL's hashes of them, and room for ours. All rows use the same, from the beginning.
class Inputs {
public:
    explicit Inputs(std::size_t count) : inputs_(count * 64), hashes_(count * 32) {
        std::mt19937_64 random(count);
        for (auto& byte : inputs_) byte = static_cast<std::uint8_t>(random() >> 56);
        for (std::size_t i = 0; i < count; ++i) {
            const Hash256 displayed = double_sha256(std::span(&inputs_[64 * i], 64));
            expected_.insert(expected_.end(), displayed.bytes.rbegin(), displayed.bytes.rend());
        }
    }

    [[nodiscard]] const std::uint8_t* in() const { return inputs_.data(); }
    [[nodiscard]] std::uint8_t* out() { return hashes_.data(); }

    void forget() { std::fill(hashes_.begin(), hashes_.end(), std::uint8_t{0}); }

    /// Throws VerificationError unless the first `count` hashes are OpenSSL's and nothing stands behind them.
    void verify(std::size_t count, const std::string& what) {
        const auto end = hashes_.begin() + static_cast<std::ptrdiff_t>(32 * count);
        if (!std::equal(hashes_.begin(), end, expected_.begin()))
            throw VerificationError(fmt::format("sha256d64: {} gives other hashes than OpenSSL", what));
        if (std::any_of(end, hashes_.end(), [](std::uint8_t byte) { return byte != 0; }))
            throw VerificationError(fmt::format("sha256d64: {} writes more than its hashes", what));
    }

private:
    std::vector<std::uint8_t> inputs_, hashes_, expected_;
};

double nanoseconds_per_input(const TimedWork::Timing& timing, std::size_t inputs) {
    return timing.seconds * 1e9 / (static_cast<double>(timing.units) * static_cast<double>(inputs));
}

Json reciprocal(const Figure& nanoseconds) {
    return nanoseconds.median() ? Json(1e9 / *nanoseconds.median()) : Json(nullptr);
}

/// sha256d64() for so many inputs, and for one at a time: one after the other, so that they see the same clock.
class MeasuredSize {
public:
    MeasuredSize(std::size_t size, HashBatch hash, const std::shared_ptr<Inputs>& inputs, const std::stop_token& stop)
        : size_(size),
          inputs_(inputs),
          together_(stop, 1,
                    [=](std::uint64_t calls) {
                        for (; calls != 0; --calls) hash(inputs->out(), inputs->in(), size);
                    }),
          alone_(stop, 1, [=](std::uint64_t calls) {
              for (; calls != 0; --calls) {
                  for (std::size_t i = 0; i < size; ++i) hash(inputs->out() + 32 * i, inputs->in() + 64 * i, 1);
              }
          }) {
        inputs->forget();
        hash(inputs->out(), inputs->in(), size);
        inputs->verify(size, name());
    }

    [[nodiscard]] std::string name() const { return fmt::format("batch {}", size_); }

    double measure(double seconds) {
        const auto time = [&](TimedWork& work, const std::string& what) {
            work.warm_up(seconds);
            inputs_->forget();
            const double nanoseconds = nanoseconds_per_input(work.time(seconds), size_);
            inputs_->verify(size_, what);
            return nanoseconds;
        };
        const double together = time(together_, name()), alone = time(alone_, "one at a time");
        nanoseconds_.add(together);
        nanoseconds_alone_.add(alone);
        gains_.add(alone / together);
        return together;
    }

    [[nodiscard]] Json details() const {
        return {{"inputs", size_},
                {"inputs_per_second", reciprocal(nanoseconds_)},
                {"nanoseconds_one_at_a_time", nanoseconds_alone_.json()},
                {"gain", gains_.json()},
                {"spreads",
                 {{"nanoseconds_one_at_a_time", nanoseconds_alone_.spread_json()}, {"gain", gains_.spread_json()}}}};
    }

private:
    const std::size_t size_;
    const std::shared_ptr<Inputs> inputs_;
    TimedWork together_, alone_;
    Figure nanoseconds_, nanoseconds_alone_, gains_;
};

/// A kernel between two probes of the ports, as in the workload `kernel`.
class MeasuredBatchKernel {
public:
    MeasuredBatchKernel(const cpu::BatchKernel& kernel, const std::shared_ptr<Inputs>& inputs,
                        const std::stop_token& stop)
        : kernel_(kernel),
          inputs_(inputs),
          probe_(port_probe(kernel.isa)),
          operations_(operations_per_input(kernel)),
          work_(stop, 1, [=, &kernel](std::uint64_t calls) {
              for (; calls != 0; --calls) cpu::run_batch(kernel, inputs->out(), inputs->in(), kKernelInputs);
          }) {
        inputs->forget();
        cpu::run_batch(kernel, inputs->out(), inputs->in(), kKernelInputs);
        inputs->verify(kKernelInputs, name());
    }

    [[nodiscard]] std::string name() const { return fmt::format("kernel {}:{}", kernel_.isa, kernel_.width); }

    double measure(double seconds) {
        if (probe_ != nullptr) (void)port_rate(*probe_);  // wakes the wide units up
        work_.warm_up(seconds);
        inputs_->forget();
        const double before = probe_ != nullptr ? port_rate(*probe_) : 0;
        const double nanoseconds = nanoseconds_per_input(work_.time(seconds), kKernelInputs);
        const double after = probe_ != nullptr ? port_rate(*probe_) : 0;
        inputs_->verify(kKernelInputs, name());
        nanoseconds_.add(nanoseconds);
        if (operations_ && probe_ != nullptr) shares_.add(*operations_ * 1e9 / nanoseconds / ((before + after) / 2));
        return nanoseconds;
    }

    [[nodiscard]] Json details() const {
        return {{"isa", kernel_.isa},
                {"inputs", kKernelInputs},
                {"inputs_per_second", reciprocal(nanoseconds_)},
                {"operations_per_input", operations_ ? Json(*operations_) : Json(nullptr)},
                {"share_of_limit", shares_.json()},
                {"spreads", {{"share_of_limit", shares_.spread_json()}}}};
    }

private:
    const cpu::BatchKernel& kernel_;
    const std::shared_ptr<Inputs> inputs_;
    const PortProbe* const probe_;
    const std::optional<double> operations_;
    TimedWork work_;
    Figure nanoseconds_, shares_;
};

constexpr const char* kSha256d64Text =
    "The same inputs again and again: up to some hundred they stay in the first-level cache. One at a time: the same\n"
    "function, called for each input by itself. Gain: ns over ns. Each kernel hashes 1024 inputs a call; its limit:\n"
    "operations per input at the rate at which the ports took such operations just before and after.\n";

template <class Measured>
Row row_of(const std::shared_ptr<Measured>& measured) {
    return {measured->name(), kUnit, Better::kLower, [measured](double seconds) { return measured->measure(seconds); },
            [measured] { return measured->details(); }};
}

}  // namespace

Rows sha256d64_rows(const Setting& setting, HashBatch hash, std::span<const cpu::BatchKernel> kernels,
                    const cpu::Features& features) {
    const auto inputs = std::make_shared<Inputs>(kSizes.back());
    Rows rows;
    rows.text = [](std::size_t) { return kSha256d64Text; };
    for (const std::size_t size : kSizes)
        rows.rows.push_back(row_of(std::make_shared<MeasuredSize>(size, hash, inputs, setting.stop)));
    for (const cpu::BatchKernel& kernel : kernels) {
        if (!kernel.usable(features)) {
            setting.note(fmt::format("sha256d64: {}:{} is not measured: {}", kernel.isa, kernel.width, kernel.missing));
            continue;
        }
        rows.rows.push_back(row_of(std::make_shared<MeasuredBatchKernel>(kernel, inputs, setting.stop)));
    }
    return rows;
}

Rows prepare_sha256d64(const Setting& setting) { return sha256d64_rows(setting, sha256d64, cpu::batch_kernels()); }

}  // namespace gpuminer::bench
