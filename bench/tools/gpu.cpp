// gpuminer-bench-gpu: times of every kernel variant on every GPU, in rounds.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/tools/gpu_variants.hpp"
#include "bench/workloads/gpu_limits.hpp"
#include "gpuminer_build_info.hpp"
#include "host/text/json_text.hpp"
#include "host/text/text.hpp"

namespace gpuminer::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUsage =
    "usage: gpuminer-bench-gpu [--quick] [--software] [--json FILE]\n"
    "Times every variant of the kernel on every GPU, through every API that reaches it; the variants take turns,\n"
    "a round each. --software: PoCL and lavapipe too. --json: the figures as a document as well. Exit code 4: no GPU "
    "here.\n";

struct Arguments {
    bool quick = false, software = false;
    std::string json;
};

Arguments parse(int argc, const char* const* argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const auto value = [&]() -> std::string {
            if (i + 1 == argc) throw std::invalid_argument(name + " needs a file name");
            return argv[++i];
        };
        if (name == "--quick") {
            arguments.quick = true;
        } else if (name == "--software") {
            arguments.software = true;
        } else if (name == "--json") {
            arguments.json = value();
        } else if (name == "--help" || name == "-h") {
            std::cout << kUsage;
            std::exit(0);
        } else {
            throw std::invalid_argument("unknown option '" + name + "'");
        }
    }
    return arguments;
}

Json device_json(const DeviceInfo& info) {
    return {{"name", info.name},
            {"model", info.model},
            {"driver", info.driver},
            {"api", info.api_version},
            {"units", info.units},
            {"clock_mhz", info.clock_mhz},
            {"memory_bytes", info.memory_bytes}};
}

void print_row(const VariantTimes& times, double limit) {
    std::cout << fmt::format("  {:6}  {:32}  {:9.1f}  {:9.1f} – {:9.1f}  {}\n", times.rolled ? "rolled" : "fixed",
                             to_string(times.variant), times.rate(0.5) / 1e6, times.rate(0.1) / 1e6,
                             times.rate(0.9) / 1e6,
                             limit > 0 ? fmt::format("{:6.1f} %", 100 * times.rate(0.5) / limit) : "     –");
}

int run(const Arguments& arguments, const std::string& command_line) {
    const GpuLimits limits;
    Json document{{"program", fmt::format("gpuminer {} ({})", kVersion, kCommit)},
                  {"compiler", kCompiler},
                  {"command", command_line},
                  {"unit", "double SHA-256 hashes per second"},
                  {"devices", Json::array()}};
    std::cout << fmt::format("gpuminer {} ({}), {}\n{}\n", kVersion, kCommit, kCompiler, command_line);
    for (const OpenGpu& gpu : open_gpus(arguments.software, std::cout)) {
        const DeviceInfo& info = gpu.device->info();
        std::cout << fmt::format("\n{}: {}, driver {}, {}, {} units", info.name, printable(info.model),
                                 printable(info.driver), info.api_version, info.units);
        std::cout << (info.clock_mhz > 0 ? fmt::format(", {} MHz at most\n", info.clock_mhz) : "\n");
        std::cout << fmt::format("  {:6}  {:32}  {:>9}  {:>21}  {}\n", "form", "variant", "MH/s", "10 % – 90 %",
                                 "of limit");
        Json variants = Json::array();
        for (const VariantTimes& times : time_variants(*gpu.engine, arguments.quick ? 2 : 9)) {
            const double limit = limits.hashes_per_second(info, times.variant, times.rolled);
            print_row(times, limit);
            variants.push_back({{"form", times.rolled ? "rolled" : "fixed"},
                                {"versions", times.versions},
                                {"setup", to_string(times.variant)},
                                {"median", times.rate(0.5)},
                                {"low", times.rate(0.1)},
                                {"high", times.rate(0.9)},
                                {"rounds", times.seconds.size()},
                                {"static_limit", limit > 0 ? Json(limit) : Json(nullptr)}});
        }
        Json device = device_json(info);
        device["variants"] = std::move(variants);
        document["devices"].push_back(std::move(device));
    }
    if (!arguments.json.empty()) {
        std::ofstream file(arguments.json);
        file << json_text(document, 2) << '\n';
        if (!file.flush()) throw std::runtime_error("cannot write " + arguments.json);
    }
    if (document["devices"].empty()) std::cout << "no GPU to measure\n";
    return document["devices"].empty() ? 4 : 0;
}

}  // namespace
}  // namespace gpuminer::bench

int main(int argc, char** argv) {
    try {
        std::string command_line;
        for (int i = 0; i < argc; ++i) command_line += std::string(i == 0 ? "" : " ") + argv[i];
        return gpuminer::bench::run(gpuminer::bench::parse(argc, argv), command_line);
    } catch (const std::exception& error) {
        std::cerr << "gpuminer-bench-gpu: " << error.what() << '\n';
        return 1;
    }
}
