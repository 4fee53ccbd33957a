// gpuminer-bench-pipes: measurement of the instruction rates from which the limits of the CUDA kernels are computed.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/tools/pipe_rates.hpp"
#include "cuda/backend.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUsage =
    "usage: gpuminer-bench-pipes [--quick] [--json]\n"
    "Measures on each CUDA device how many lanes of the kernels' instructions a multiprocessor retires per cycle.\n"
    "--quick: once, to see that it works. --json: a document instead of the table. Exit code 4: no CUDA device here.\n";

struct Arguments {
    bool quick = false, json = false, help = false;
};

Arguments parse(int argc, const char* const* argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--quick") {
            arguments.quick = true;
        } else if (name == "--json") {
            arguments.json = true;
        } else if (name == "--help" || name == "-h") {
            arguments.help = true;
        } else {
            throw std::invalid_argument("unknown option '" + name + "'");
        }
    }
    return arguments;
}

void print(const DeviceInfo& info, const std::vector<PipeRate>& rates) {
    std::cout << fmt::format("{} ({}, {} multiprocessors, {}): lanes per cycle and multiprocessor\n", info.name,
                             printable(info.model), info.units, printable(info.driver));
    for (const PipeRate& rate : rates) {
        std::cout << fmt::format("  {:16} {:6.1f}  ({:.1f} – {:.1f}, {:.0f} MHz)  {}\n", rate.name, rate.lanes,
                                 rate.lowest, rate.highest, rate.clock_mhz, rate.question);
    }
}

Json to_json(const DeviceInfo& info, const std::vector<PipeRate>& rates) {
    Json device{{"name", info.name},
                {"model", info.model},
                {"driver", info.driver},
                {"multiprocessors", info.units},
                {"lanes_per_cycle", Json::array()}};
    for (const PipeRate& rate : rates) {
        device["lanes_per_cycle"].push_back({{"instructions", rate.name},
                                             {"median", rate.lanes},
                                             {"lowest", rate.lowest},
                                             {"highest", rate.highest},
                                             {"clock_mhz", rate.clock_mhz}});
    }
    return device;
}

int run(const Arguments& arguments) {
    if (arguments.help) {
        std::cout << kUsage;
        return 0;
    }
    Json document{{"devices", Json::array()}};
    std::string reasons;
    for (const Probe& probe : kCudaBackend.probe({})) {
        if (!probe.usable) {
            reasons += (reasons.empty() ? "" : "; ") + probe.info.name + ": " + probe.reason;
            continue;
        }
        const std::vector<PipeRate> rates = measure_pipe_rates(probe.index, arguments.quick ? 1 : 20);
        if (!arguments.json) print(probe.info, rates);
        document["devices"].push_back(to_json(probe.info, rates));
    }
    if (document["devices"].empty()) {
        const std::string error = "there is no CUDA device to measure: " + reasons;
        if (arguments.json) std::cout << Json{{"error", error}, {"exit_code", 4}}.dump(2) << '\n';
        std::cerr << "gpuminer-bench-pipes: " << error << '\n';
        return 4;
    }
    if (arguments.json) std::cout << json_text(document, 2) << '\n';
    return 0;
}

}  // namespace
}  // namespace gpuminer::bench

int main(int argc, char** argv) {
    try {
        return gpuminer::bench::run(gpuminer::bench::parse(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpuminer-bench-pipes: %s\n", error.what());
        return 1;
    }
}
