// gpuminer-bench-sha256d64: batches of double SHA-256 over 64-byte inputs, by size, against one at a time; and each
// kernel against what the execution ports could do.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/context.hpp"
#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "bench/port_probe.hpp"
#include "cpu/sha256d64.hpp"
#include "cpu/sha256d64_kernels.hpp"
#include "host/checker.hpp"
#include "kernel/print.hpp"

namespace gpuminer::bench {
namespace {

constexpr const char* kUsage =
    "usage: gpuminer-bench-sha256d64 [options]\n"
    "Measures double SHA-256 over batches of 64-byte inputs (nodes of merkle trees), 1 to 65536 of them, against the\n"
    "same function called for one input at a time; and each instruction set that this CPU has.\n"
    "For figures to quote: chrt -f 10 taskset -c 1 gpuminer-bench-sha256d64";

/// All that fit one vector, the sizes around whole ones, then powers of two.
constexpr std::array<std::size_t, 36> kSizes = {1,  2,  3,   4,   5,   6,    7,    8,    9,    10,    11,    12,
                                                13, 14, 15,  16,  17,  20,   24,   31,   32,   33,    48,    63,
                                                64, 65, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
constexpr std::size_t kKernelInputs = 1024;   ///< of each measured call of one kernel
constexpr double kShaRoundInstructions = 96;  ///< sha256rnds2 per input: three times 64 rounds, two at a time

/// Inputs of one size and room for their hashes.
class Batch {
public:
    explicit Batch(std::size_t count) : inputs_(count * 64), hashes_(count * 32) {
        std::mt19937 random(static_cast<std::mt19937::result_type>(count));
        for (auto& byte : inputs_) byte = static_cast<std::uint8_t>(random() >> 24);
    }

    [[nodiscard]] std::size_t count() const { return hashes_.size() / 32; }
    void hash() { sha256d64(hashes_.data(), inputs_.data(), count()); }
    void hash_one_at_a_time() {
        for (std::size_t i = 0; i < count(); ++i) sha256d64(&hashes_[32 * i], &inputs_[64 * i], 1);
    }
    void hash_with(const cpu::BatchKernel& kernel) { cpu::run_batch(kernel, hashes_.data(), inputs_.data(), count()); }

    /// Throws unless the hashes are OpenSSL's; forgets them.
    void verify(const std::string& what) {
        for (std::size_t i = 0; i < count(); ++i) {
            const Hash256 displayed = double_sha256(std::span(&inputs_[64 * i], 64));
            if (!std::equal(displayed.bytes.rbegin(), displayed.bytes.rend(), &hashes_[32 * i]))
                throw std::runtime_error(what + " computes wrong hashes: its speed means nothing");
        }
        std::fill(hashes_.begin(), hashes_.end(), std::uint8_t{0});
    }

private:
    std::vector<std::uint8_t> inputs_, hashes_;
};

std::string name_of(std::size_t size) { return "batch:" + std::to_string(size); }
std::string name_of(const cpu::BatchKernel& kernel) {
    return std::string(kernel.isa) + ":" + std::to_string(kernel.width);
}

/// Both ways one after the other, so that they see the same clock.
Row size_row(std::size_t size) {
    const auto batch = std::make_shared<Batch>(size);
    batch->hash();
    batch->verify("a batch of " + std::to_string(size));
    batch->hash_one_at_a_time();
    batch->verify("one at a time");
    const auto batches = [=](std::uint64_t calls) {
        for (; calls != 0; --calls) batch->hash();
    };
    const auto singles = [=](std::uint64_t calls) {
        for (; calls != 0; --calls) batch->hash_one_at_a_time();
    };
    const std::uint64_t batch_calls = units_per_millisecond(1, batches),
                        single_calls = units_per_millisecond(1, singles);
    return {name_of(size), [=]() -> Figures {
                const auto nanoseconds = [&](const auto& work, std::uint64_t calls) {
                    work(calls / 8 + 1);  // wakes wide units up
                    return seconds_of([&] { work(calls); }) * 1e9 / static_cast<double>(calls * size);
                };
                const double together = nanoseconds(batches, batch_calls), alone = nanoseconds(singles, single_calls);
                return {{"nanoseconds_per_input", together},
                        {"inputs_per_second", 1e9 / together},
                        {"nanoseconds_one_at_a_time", alone},
                        {"gain", alone / together}};
            }};
}

/// Port operations per input that cannot be avoided; empty where no limit is known.
std::optional<double> operations_per_input(const cpu::BatchKernel& kernel) {
    const std::string_view isa = kernel.isa;
    if (isa == "scalar") return std::nullopt;
    if (isa == "shani") return kShaRoundInstructions;
    const kernel::Program program = kernel::make_batch_program();
    std::uint64_t operations = 0;
    for (const kernel::StageName name : program.order) {
        const kernel::Stage& stage = program.stage(name);
        operations += isa == "avx512" ? kernel::avx512_operations(stage) : kernel::avx2_operations(stage);
    }
    return static_cast<double>(operations) / static_cast<double>(kernel.width);
}

/// About a millisecond of a kernel between two probes of the ports, as in gpuminer-bench-kernel.
Row kernel_row(const cpu::BatchKernel& kernel) {
    const auto batch = std::make_shared<Batch>(kKernelInputs);
    batch->hash_with(kernel);
    batch->verify(name_of(kernel));
    const auto work = [=, &kernel](std::uint64_t calls) {
        for (; calls != 0; --calls) batch->hash_with(kernel);
    };
    const std::uint64_t calls = units_per_millisecond(1, work);
    const PortProbe* const probe = port_probe(kernel.isa);
    return {name_of(kernel), [=, operations = operations_per_input(kernel)]() -> Figures {
                if (probe != nullptr) (void)port_rate(*probe);  // wakes the wide units up
                work(calls / 8 + 1);
                const double before = probe != nullptr ? port_rate(*probe) : 0;
                const double seconds = seconds_of([&] { work(calls); });
                const double after = probe != nullptr ? port_rate(*probe) : 0;
                const double rate = static_cast<double>(calls * kKernelInputs) / seconds;
                Figures figures = {{"nanoseconds_per_input", 1e9 / rate}, {"inputs_per_second", rate}};
                if (operations && probe != nullptr)
                    figures["share_of_limit"] = *operations * rate / ((before + after) / 2);
                return figures;
            }};
}

using Spreads = std::map<std::string, Spread>;
using Measured = std::map<std::string, Spreads>;

void print_sizes(const Measured& measured) {
    std::printf(
        "\nMedians; in brackets the values that 10 %% and 90 %% of the rounds stayed below. ns: nanoseconds per input "
        "of\n"
        "64 bytes; M/s: millions of inputs a second. The same inputs again and again: up to some hundred they stay in\n"
        "the first-level cache. One at a time: the same function, called for each input by itself. Gain: ns over "
        "ns.\n\n");
    std::printf("%6s %8s %17s %8s %17s %8s %6s  %s\n", "inputs", "ns", "", "M/s", "", "one: ns", "gain", "");
    for (const std::size_t size : kSizes) {
        const auto found = measured.find(name_of(size));
        if (found == measured.end()) continue;
        const Spread &ns = found->second.at("nanoseconds_per_input"), &rate = found->second.at("inputs_per_second");
        std::printf("%6zu %8.1f (%7.1f–%7.1f) %8.2f (%7.2f–%7.2f) %8.1f %6.2f\n", size, ns.median, ns.low, ns.high,
                    rate.median / 1e6, rate.low / 1e6, rate.high / 1e6,
                    found->second.at("nanoseconds_one_at_a_time").median, found->second.at("gain").median);
    }
}

void print_kernels(const std::vector<const cpu::BatchKernel*>& kernels, const Measured& measured) {
    std::printf(
        "\nEach kernel, %zu inputs a call. The limit: operations per input at the rate at which the ports took such\n"
        "operations just before and after; scalar code has no simple one.\n\n",
        kKernelInputs);
    std::printf("%-10s %8s %8s %17s %8s %10s\n", "kernel", "ns", "M/s", "", "op/input", "of limit");
    for (const cpu::BatchKernel* kernel : kernels) {
        const auto found = measured.find(name_of(*kernel));
        if (found == measured.end()) continue;
        const Spread &ns = found->second.at("nanoseconds_per_input"), &rate = found->second.at("inputs_per_second");
        std::printf("%-10s %8.1f %8.2f (%7.2f–%7.2f)", name_of(*kernel).c_str(), ns.median, rate.median / 1e6,
                    rate.low / 1e6, rate.high / 1e6);
        if (const auto share = found->second.find("share_of_limit"); share != found->second.end()) {
            std::printf(" %8.1f %8.1f %% (%5.1f–%5.1f %%)", *operations_per_input(*kernel), 100 * share->second.median,
                        100 * share->second.low, 100 * share->second.high);
        }
        std::printf("\n");
    }
}

void add_figures(nlohmann::ordered_json& row, const Spreads& figures) {
    for (const auto& [figure, spread] : figures)
        row[figure] = {{"p10", spread.low}, {"median", spread.median}, {"p90", spread.high}};
}

nlohmann::ordered_json to_json(const std::vector<const cpu::BatchKernel*>& kernels, const Measured& measured) {
    nlohmann::ordered_json size_rows = nlohmann::ordered_json::array(), kernel_rows = size_rows;
    for (const std::size_t size : kSizes) {
        const auto found = measured.find(name_of(size));
        if (found == measured.end()) continue;
        size_rows.push_back({{"name", name_of(size)}, {"inputs", size}});
        add_figures(size_rows.back(), found->second);
    }
    for (const cpu::BatchKernel* kernel : kernels) {
        const auto found = measured.find(name_of(*kernel));
        if (found == measured.end()) continue;
        const auto operations = operations_per_input(*kernel);
        kernel_rows.push_back({{"name", name_of(*kernel)}, {"isa", kernel->isa}, {"width", kernel->width}});
        kernel_rows.back()["operations_per_input"] =
            operations ? nlohmann::ordered_json(*operations) : nlohmann::ordered_json(nullptr);
        add_figures(kernel_rows.back(), found->second);
    }
    return {{"batches", size_rows}, {"kernels", kernel_rows}};
}

int run(int argc, const char* const* argv) {
    const Options options = parse_options(argc, argv, kUsage);
    const auto context = measuring_context(argc, argv);
    if (!options.json) print_context(context);
    std::vector<Row> rows;
    for (const std::size_t size : kSizes) rows.push_back(size_row(size));
    std::vector<const cpu::BatchKernel*> kernels;
    for (const cpu::BatchKernel& kernel : cpu::batch_kernels()) {
        if (!kernel.usable(cpu::detect_features())) {
            std::fprintf(stderr, "%s: not measured: %s\n", kernel.isa, kernel.missing);
            continue;
        }
        kernels.push_back(&kernel);
        rows.push_back(kernel_row(kernel));
    }
    const Measured measured = measure_rows(rows, options);
    if (options.json) {
        nlohmann::ordered_json document = {{"context", context}};
        document.update(to_json(kernels, measured));
        std::printf("%s\n", document.dump(1).c_str());
    } else {
        print_sizes(measured);
        print_kernels(kernels, measured);
    }
    return EXIT_SUCCESS;
}

}  // namespace
}  // namespace gpuminer::bench

int main(int argc, char** argv) {
    try {
        return gpuminer::bench::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpuminer-bench-sha256d64: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
