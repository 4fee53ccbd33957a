// The program of test_lists.py: a check that everything generated from the lists knows the instruction set and the
// backend "dummy".
#include <algorithm>
#include <array>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cpu/backend.hpp"
#include "cpu/batch/sha256d64_kernels.hpp"
#include "cpu/isa.hpp"
#include "gpuminer_every_backend.hpp"
#include "gpuminer_every_isa.hpp"
#include "gpuminer_lists.hpp"
#include "host/devices/devices.hpp"

using namespace gpuminer;

namespace {

constexpr std::string_view kDummy = "dummy";
static_assert(test::isa::Dummy::kName == kDummy && test::backend::Dummy::kName == kDummy);
static_assert(std::string_view(GPUMINER_ISA_NAMES).ends_with(", dummy"));
static_assert(std::string_view(GPUMINER_BACKEND_NAMES).ends_with(", dummy"));

void require(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error("this does not hold: " + what);
    std::cout << what << '\n';
}

std::size_t candidates_of(const std::string& isa) {
    const DeviceOptions options{.threads = 1, .isa = isa};
    const Probe probe = kCpuBackend.probe(options).front();
    require(probe.info.name == "cpu:" + isa + "#0" && probe.info.kind == isa,
            "--isa " + isa + " gives " + probe.info.name);
    const std::array<std::uint8_t, 80> header{};
    const std::array<std::uint32_t, 1> version{1};
    ScanResult result;
    kCpuBackend.open(probe, options)
        ->scan(Sha256dJob(header, version, 0x0fffffff), {0, 1000}, result);  // says who scanned
    return result.candidates.items().size();
}

void check_isa() {
    require(cpu::facts_of(kDummy) != nullptr && cpu::find_isa(kDummy) != nullptr,
            "the tables have the instruction set");
    require(cpu::usable(*cpu::find_isa(kDummy), cpu::detect_features()), "its feature is detected");
    require(!cpu::usable(*cpu::find_isa(kDummy), cpu::Features{}), "it needs its feature");
    require(std::ranges::any_of(cpu::batch_kernels(), [](const auto& kernel) { return kernel.isa == kDummy; }),
            "sha256d64() has its kernel");
    const std::size_t found = candidates_of("dummy");
    require(found > 0 && found == candidates_of("scalar"), "it finds what scalar finds");
}

void check_backend() {
    const DeviceSelection selection{.backends = {std::string(kDummy)}, .devices = {}, .options = {}};
    require_known(selection);
    const auto devices = list_devices(built_in_backends(), selection);
    require(devices.size() == 1 && devices.front().probe.info.name == "dummy:none#0",
            "--backend dummy lists its device");
}

}  // namespace

int main() {
    try {
        check_isa();
        check_backend();
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
