// gpuminer-bench-kernel: the CPU kernels by themselves, against what the execution ports could do.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "bench/context.hpp"
#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "bench/port_probe.hpp"
#include "bench/subject.hpp"
#include "cpu/tsc.hpp"
#include "kernel/print.hpp"

namespace gpuminer::bench {
namespace {

constexpr const char* kUsage =
    "usage: gpuminer-bench-kernel [options]\n"
    "Measures each instruction set that this CPU has: one header, then 4, 8 and 16 versions of it.\n"
    "For figures to quote: chrt -f 10 taskset -c 1 gpuminer-bench-kernel";

constexpr std::array kVersionCounts = {1u, 4u, 8u, 16u};
constexpr double kShaRoundInstructions = 62;  ///< sha256rnds2 per hash: two times 62 rounds, two at a time

/// One benchmark: an ISA with a number of header versions.
struct Subject {
    const cpu::Isa* isa;
    unsigned versions;

    [[nodiscard]] std::string name() const {
        return std::string(isa->name) + (versions == 1 ? "/fixed" : "/versions:" + std::to_string(versions));
    }
    [[nodiscard]] unsigned width() const {
        const std::string_view text = isa->name;
        return text == "avx512" ? 16 : text == "avx2" ? 8 : text == "sse41" ? 4 : 1;
    }
};

/// Port operations per hash that cannot be avoided; empty where no limit is known.
std::optional<double> operations_per_hash(const Subject& subject) {
    const std::string_view isa = subject.isa->name;
    if (isa == "scalar") return std::nullopt;
    if (isa == "shani") return kShaRoundInstructions;
    const kernel::Program program = kernel::make_search_program(subject.versions);
    const auto count = [&](kernel::StageName name) {
        const kernel::Stage& stage = program.stage(name);
        return static_cast<double>(isa == "avx512" ? kernel::avx512_operations(stage) : kernel::avx2_operations(stage));
    };
    constexpr double kTest = 1;  // whether any lane is a candidate
    const double per_vector = count(kernel::StageName::kNonce) / subject.versions + count(kernel::StageName::kHash1) +
                              count(kernel::StageName::kHash2) + kTest;
    return per_vector / subject.width();
}

/// One round: about a millisecond of the kernel between two probes of the ports, so that both have seen the
/// same clock frequency.
class Measurement {
public:
    explicit Measurement(const Subject& subject)
        : subject_(subject),
          job_(block_100000().bytes, versions_of_block(subject.versions), 0),
          probe_(port_probe(subject.isa->name)),
          operations_(operations_per_hash(subject)) {
        nonces_ = units_per_millisecond(16, [&](std::uint64_t nonces) { scan(nonces); });
    }

    Figures operator()() {
        if (probe_ != nullptr) (void)port_rate(*probe_);  // wakes the wide units up
        scan(nonces_ / 8 + 1);
        const double before = probe_ != nullptr ? port_rate(*probe_) : 0;
        const std::uint64_t first_cycle = have_rdtscp() ? read_tsc() : 0;
        const double seconds = seconds_of([&] { scan(nonces_); });
        const std::uint64_t cycles = have_rdtscp() ? read_tsc() - first_cycle : 0;
        const double after = probe_ != nullptr ? port_rate(*probe_) : 0;

        const double hashes = static_cast<double>(nonces_) * subject_.versions;
        Figures figures = {{"hashes_per_second", hashes / seconds}};
        if (have_rdtscp()) figures["cycles_per_hash"] = static_cast<double>(cycles) / hashes;
        if (probe_ != nullptr) {
            const double port_rate = (before + after) / 2;
            figures["port_operations_per_second"] = port_rate;
            figures["share_of_limit"] = *operations_ * hashes / seconds / port_rate;
        }
        return figures;
    }

private:
    void scan(std::uint64_t nonces) {
        std::array<Candidate, 1> none;
        (void)cpu::scan(*subject_.isa, job_, {0, nonces}, none);
    }

    Subject subject_;
    ScanJob job_;
    const PortProbe* probe_;
    std::optional<double> operations_;
    std::uint64_t nonces_ = 0;
};

using Spreads = std::map<std::string, Spread>;

void print_table(const std::vector<Subject>& subjects, const std::map<std::string, Spreads>& measured) {
    std::printf(
        "\nMedians; in brackets the values that 10 %% and 90 %% of the rounds stayed below. MH/s: millions of hashes a "
        "second.\n");
    std::printf(
        "Cycles are the cycle counter's, not the core's. The limit: operations per hash at the rate at which the\n"
        "ports took such operations just before and after; scalar code has no simple one.\n\n");
    std::printf("%-19s %8s %17s %9s %19s %8s %10s %16s\n", "kernel", "MH/s", "", "cycles", "", "op/hash", "of limit",
                "");
    for (const Subject& subject : subjects) {
        const auto found = measured.find(subject.name());
        if (found == measured.end()) continue;
        const auto& figures = found->second;
        const Spread& rate = figures.at("hashes_per_second");
        std::printf("%-19s %8.3f (%7.3f–%7.3f)", subject.name().c_str(), rate.median / 1e6, rate.low / 1e6,
                    rate.high / 1e6);
        if (const auto cycles = figures.find("cycles_per_hash"); cycles != figures.end()) {
            std::printf(" %9.2f (%8.2f–%8.2f)", cycles->second.median, cycles->second.low, cycles->second.high);
        }
        if (const auto share = figures.find("share_of_limit"); share != figures.end()) {
            std::printf(" %8.1f %8.1f %% (%5.1f–%5.1f %%)", *operations_per_hash(subject), 100 * share->second.median,
                        100 * share->second.low, 100 * share->second.high);
        }
        std::printf("\n");
    }
}

nlohmann::ordered_json to_json(const std::vector<Subject>& subjects, const std::map<std::string, Spreads>& measured) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Subject& subject : subjects) {
        const auto found = measured.find(subject.name());
        if (found == measured.end()) continue;
        nlohmann::ordered_json row = {
            {"name", subject.name()}, {"isa", subject.isa->name}, {"versions", subject.versions}};
        const auto operations = operations_per_hash(subject);
        row["operations_per_hash"] = operations ? nlohmann::ordered_json(*operations) : nlohmann::ordered_json(nullptr);
        for (const auto& [figure, spread] : found->second)
            row[figure] = {{"p10", spread.low}, {"median", spread.median}, {"p90", spread.high}};
        rows.push_back(row);
    }
    return rows;
}

int run(int argc, const char* const* argv) {
    const Options options = parse_options(argc, argv, kUsage);
    const auto context = measuring_context(argc, argv);
    if (!options.json) print_context(context);
    std::vector<Subject> subjects;
    std::vector<Row> rows;
    for (const cpu::Isa& isa : cpu::isas()) {
        if (!cpu::usable(isa, cpu::detect_features())) {
            std::fprintf(stderr, "%s: not measured: %s\n", isa.name, isa.missing);
            continue;
        }
        for (const unsigned versions : kVersionCounts) {
            const Subject subject{&isa, versions};
            if (!finds_the_block(isa, versions))
                throw std::runtime_error(subject.name() + " does not find block 100000: its speed means nothing");
            subjects.push_back(subject);
            rows.push_back(
                {subject.name(), [measurement = std::make_shared<Measurement>(subject)] { return (*measurement)(); }});
        }
    }
    const auto measured = measure_rows(rows, options);
    if (options.json) {
        std::printf(
            "%s\n",
            nlohmann::ordered_json{{"context", context}, {"kernels", to_json(subjects, measured)}}.dump(1).c_str());
    } else {
        print_table(subjects, measured);
    }
    return EXIT_SUCCESS;
}

}  // namespace
}  // namespace gpuminer::bench

int main(int argc, char** argv) {
    try {
        return gpuminer::bench::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpuminer-bench-kernel: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
