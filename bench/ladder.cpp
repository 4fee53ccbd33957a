// gpuminer-bench-ladder: what each removal of per-nonce work is worth, from the naive loop to the kernel.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/context.hpp"
#include "bench/ladder_steps.hpp"
#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "bench/subject.hpp"

namespace gpuminer::bench {
namespace {

constexpr const char* kUsage =
    "usage: gpuminer-bench-ladder [options]\n"
    "Measures the search for a nonce from the naive loop to the kernel, step by step.\n"
    "For figures to quote: chrt -f 10 taskset -c 1 gpuminer-bench-ladder";

constexpr unsigned kRolledVersions = 8;
const Hash256 kNothingMeets{};

/// Searches the range for the target; appends nonces with the block's own version.
using Search = std::function<void(const Hash256& target, NonceRange range, std::vector<std::uint32_t>& hits)>;

struct Rung {
    std::string name;
    std::string removed;      ///< what it does without, or does otherwise
    std::string compared_to;  ///< the rung whose work it reduces; empty for the first and for OpenSSL
    unsigned versions = 1;    ///< hashes per nonce
    Search search;
};

Search search_with(Step step) {
    return [step, header = block_100000()](const Hash256& target, NonceRange range, std::vector<std::uint32_t>& hits) {
        step(header, target, range, hits);
    };
}

Search search_with(const cpu::Isa& isa, unsigned versions) {
    // One job for each target, as a search has it: the host's share is not the kernel's.
    const auto job_for = [versions](std::uint32_t top) {
        return std::make_shared<ScanJob>(block_100000().bytes, versions_of_block(versions), top);
    };
    return [&isa, nothing = job_for(0), sieve = job_for(kSievedTop)](const Hash256& target, NonceRange range,
                                                                     std::vector<std::uint32_t>& hits) {
        std::array<Candidate, 256> candidates;
        const ScanJob& job = target == kNothingMeets ? *nothing : *sieve;
        const std::size_t found = std::min(cpu::scan(isa, job, range, candidates).found, candidates.size());
        for (std::size_t i = 0; i < found; ++i) {
            if (candidates[i].version_index == 0) hits.push_back(candidates[i].nonce);
        }
    };
}

/// The rungs that this CPU can climb, the reference points beside the ladder last.
std::vector<Rung> make_rungs() {
    std::vector<Rung> rungs = {
        {"naive", "80 bytes put together and hashed from scratch", "", 1, search_with(naive)},
        {"midstate", "first 64 bytes hashed once per job", "naive", 1, search_with(midstate)},
        {"early rounds", "rounds 0 to 2 of block 2 once per job", "midstate", 1, search_with(early_rounds)},
        {"constant schedule", "padding words folded into constants", "early rounds", 1, search_with(constant_schedule)},
        {"early exit", "only the last word of the hash computed", "constant schedule", 1, search_with(early_exit)},
    };
    std::string last = rungs.back().name;
    const cpu::Features features = cpu::detect_features();
    const auto add = [&](const char* isa_name, const std::string& name, const char* removed, unsigned versions) {
        const cpu::Isa* const isa = cpu::find_isa(isa_name);
        if (!cpu::usable(*isa, features)) {
            std::fprintf(stderr, "%s: not measured: %s\n", isa_name, isa->missing);
            return;
        }
        rungs.push_back({name, removed, last, versions, search_with(*isa, versions)});
        last = name;
    };
    add("scalar", "generated", "the generated program: sums regrouped, 26 job words", 1);
    const std::string generated = last;
    add("sse41", "SSE4.1", "4 nonces per vector", 1);
    add("avx2", "AVX2", "8 nonces per vector", 1);
    add("avx512", "AVX-512", "16 nonces per vector, rotations, 3-input logic", 1);
    const cpu::Isa& best = *std::find_if(cpu::isas().rbegin(), cpu::isas().rend(), [&](const cpu::Isa& isa) {
        return cpu::usable(isa, features) && std::string_view(isa.name) != "shani";
    });
    add(best.name, "version rolling", "8 versions share a nonce's message schedule", kRolledVersions);
    last = generated;
    add("shani", "SHA-NI (beside)", "instructions for two rounds", 1);
    rungs.push_back(
        {"OpenSSL (beside)", "the naive loop with OpenSSL's SHA-256 (EVP)", "naive", 1, search_with(naive_openssl)});
    return rungs;
}

void verify(const Rung& rung) {
    Hash256 target;
    target.bytes.fill(0xff);
    target.bytes[0] = kSievedTop >> 24;
    std::vector<std::uint32_t> hits;
    rung.search(target, verified_range(), hits);
    std::sort(hits.begin(), hits.end());
    if (hits != expected_nonces())
        throw std::runtime_error("the step '" + rung.name + "' does not find block 100000: its speed means nothing");
}

Row make_row(const Rung& rung) {
    const auto scan = [&rung](std::uint64_t nonces) {
        std::vector<std::uint32_t> none;
        rung.search(kNothingMeets, {0, nonces}, none);
    };
    const std::uint64_t nonces = units_per_millisecond(16, scan);
    return {rung.name, [=, &rung]() -> Figures {
                scan(nonces / 4 + 1);  // wakes wide units up, fills caches
                return {{"hashes_per_second",
                         static_cast<double>(nonces) * rung.versions / seconds_of([&] { scan(nonces); })}};
            }};
}

using Measured = std::map<std::string, std::map<std::string, Spread>>;

/// A row's rate over another's; 0 where one was not measured.
double gain(const Measured& measured, const std::string& rung, const std::string& other) {
    const auto found = measured.find(rung), base = measured.find(other);
    if (found == measured.end() || base == measured.end()) return 0;
    return found->second.at("hashes_per_second").median / base->second.at("hashes_per_second").median;
}

void print_table(const std::vector<Rung>& rungs, const Measured& measured) {
    const auto times = [](double ratio) {
        std::array<char, 16> text{};
        if (ratio > 0) std::snprintf(text.data(), text.size(), "%.2f", ratio);
        return std::string(text.data());
    };
    std::printf(
        "\nMedians; in brackets the values that 10 %% and 90 %% of the rounds stayed below. MH/s: millions of hashes a "
        "second.\n"
        "Gain: the rate over that of the step before it (SHA-NI: over \"generated\", OpenSSL: over \"naive\"); in all: "
        "over the naive loop.\n\n");
    std::printf("%-18s %9s %19s %8s %8s  %s\n", "step", "MH/s", "", "gain", "in all", "for each nonce");
    for (const Rung& rung : rungs) {
        const auto found = measured.find(rung.name);
        if (found == measured.end()) continue;
        const Spread& rate = found->second.at("hashes_per_second");
        std::printf("%-18s %9.3f (%8.3f–%8.3f) %8s %8s  %s\n", rung.name.c_str(), rate.median / 1e6, rate.low / 1e6,
                    rate.high / 1e6, times(gain(measured, rung.name, rung.compared_to)).c_str(),
                    times(gain(measured, rung.name, rungs.front().name)).c_str(), rung.removed.c_str());
    }
}

nlohmann::ordered_json to_json(const std::vector<Rung>& rungs, const Measured& measured) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const auto or_null = [](double ratio) {
        return ratio > 0 ? nlohmann::ordered_json(ratio) : nlohmann::ordered_json(nullptr);
    };
    for (const Rung& rung : rungs) {
        const auto found = measured.find(rung.name);
        if (found == measured.end()) continue;
        const Spread& rate = found->second.at("hashes_per_second");
        rows.push_back({{"name", rung.name},
                        {"removed", rung.removed},
                        {"hashes_per_second", {{"p10", rate.low}, {"median", rate.median}, {"p90", rate.high}}},
                        {"compared_to", rung.compared_to},
                        {"gain", or_null(gain(measured, rung.name, rung.compared_to))},
                        {"gain_over_first", or_null(gain(measured, rung.name, rungs.front().name))}});
    }
    return rows;
}

int run(int argc, const char* const* argv) {
    const Options options = parse_options(argc, argv, kUsage);
    const auto context = measuring_context(argc, argv);
    if (!options.json) print_context(context);
    const std::vector<Rung> rungs = make_rungs();
    std::vector<Row> rows;
    for (const Rung& rung : rungs) {
        verify(rung);
        rows.push_back(make_row(rung));
    }
    const Measured measured = measure_rows(rows, options);
    if (options.json) {
        std::printf("%s\n",
                    nlohmann::ordered_json{{"context", context}, {"steps", to_json(rungs, measured)}}.dump(1).c_str());
    } else {
        print_table(rungs, measured);
    }
    return EXIT_SUCCESS;
}

}  // namespace
}  // namespace gpuminer::bench

int main(int argc, char** argv) {
    try {
        return gpuminer::bench::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpuminer-bench-ladder: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
