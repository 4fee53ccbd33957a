// Fuzzer of the UEFI application's two files: gpuminer.cfg as it reads it, and GPUMINER.CSV as `gpuminer bench` reads
// it.
#include <cstdint>
#include <string>
#include <string_view>

#include "baremetal/config.hpp"
#include "bench/document/bare_metal.hpp"
#include "host/errors.hpp"
#include "tests/fuzz/property.hpp"

using namespace gpuminer;
using fuzz::demand;

namespace {

void check_config(const std::string& text) {
    using namespace baremetal;
    Config config;
    Line complaint;
    if (!parse_config({text.data(), text.size()}, config, complaint)) {
        const std::string_view message(complaint.text().data, complaint.text().size);
        fuzz::demand_plain_sentence(message);
        demand(message.substr(0, 19) == "gpuminer.cfg, line ", "a complaint names the line");
        return;
    }
    demand(complaint.empty(), "what is accepted is not complained of");
    demand(config.first <= config.last && config.range().count >= 1, "there is something to search");
    demand(config.threads <= 4096 && config.wait <= 86400, "numbers are in their limits");
    demand((config.slice & (config.slice - 1)) == 0 && config.slice >= 256 && config.slice <= Config::kLargestSlice,
           "a slice is a power of two in its limits");
    demand(std::string_view(config.isa, sizeof(config.isa)).find('\0') != std::string_view::npos, "isa ends");
}

void check_report(const std::string& text) {
    try {
        const bench::BareMetalReport report = bench::parse_bare_metal_report(text, "'a.csv'");
        demand(!report.threads.empty() && report.threads.front().first == report.start &&
                   report.threads.back().last == report.end,
               "the threads' pieces are the range");
        std::uint64_t hashes = 0;
        for (const bench::BareMetalThread& thread : report.threads) hashes += thread.cycles.hashes;
        demand(hashes == std::uint64_t{report.end} - report.start + 1, "every nonce was searched");
        demand(report.counter_hz > 0 && report.seconds > 0, "figures can be divided by");
    } catch (const InputError& error) {
        fuzz::demand_plain_sentence(error.what());
    }
}

}  // namespace

// libFuzzer asks for this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    check_config(text);
    check_report(text);
    return 0;
}
