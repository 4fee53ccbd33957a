// The backend of gpuminer_faulty: gpuminer's own command line over devices that misbehave as told. The
// environment says which there are, in order (GPUMINER_FAULTY_DEVICES=good,liar gives cpu:good#0 and
// cpu:liar#1), and what the cycle counter is like (GPUMINER_FAULTY_COUNTER). Right hashes are OpenSSL's.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "cpu/tsc.hpp"
#include "tests/unit/fake_devices.hpp"

namespace gpuminer {
namespace {

using namespace std::chrono_literals;

struct Kind {
    std::string_view name;
    bool fails_later = false;        ///< while it searches or tests itself, not before
    const char* unusable = "";       ///< why its probe says that it cannot be used
    const char* does_not_open = "";  ///< the DeviceError that opening it throws
};

constexpr std::array kKinds{
    Kind{"good"},
    Kind{"uncounted"},    // as good, but without cycle counts
    Kind{"slow"},         // 2,000 nonces in 100 ms, and never finds anything
    Kind{"dead", true},   // throws at its first scan
    Kind{"late", true},   // throws at its fourth scan, after 0.6 s
    Kind{"liar", true},   // finds nothing in its first scan, then the wrong nonces
    Kind{"blind", true},  // fails the self-test: it never finds anything
    Kind{"absent", false, "it is switched off; switch it on"},
    Kind{"broken", false, "", "its driver is too old"},
};

/// Devices that have not failed yet, but will. The good ones wait for them, or they might be done before.
std::atomic<int> failures_to_come = 0;

/// The tests search versions of the genesis block, which the self-test does not use.
BlockHeader genesis() {
    return parse_header_hex(
               "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f6"
               "1"
               "7fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c")
        .header;
}

void wait_for_failures() {
    const auto limit = std::chrono::steady_clock::now() + 20s;
    while (failures_to_come > 0 && std::chrono::steady_clock::now() < limit) std::this_thread::sleep_for(1ms);
}

[[noreturn]] void fail() {
    --failures_to_come;
    throw DeviceError("the card fell off the bus");
}

/// Nothing of what it should report, and some of what it should not.
void lie(const ScanJob& job, NonceRange range, ScanResult& result) {
    result.clear();
    for (std::uint64_t i = 0; i < range.count && result.candidates.items().size() < 5; ++i) {
        const auto nonce = static_cast<std::uint32_t>(range.first + i);
        if (!passes_top_word(test::last_word(job, 0, nonce), job.target_top())) result.candidates.push({0, nonce});
    }
    --failures_to_come;
}

test::Behaviour behaviour_of(std::string_view kind) {
    test::Behaviour behaviour;
    if (kind == "slow") {
        behaviour.hashing = false;
        behaviour.delay = 100ms;
    } else if (kind == "dead") {
        behaviour.before_scan = [](unsigned) { fail(); };
    } else if (kind == "late") {
        behaviour.delay = 200ms;
        behaviour.before_scan = [](unsigned scan) {
            if (scan == 4) fail();
        };
    } else if (kind == "liar") {
        behaviour.tamper = [scans = 0](const ScanJob& job, NonceRange range, ScanResult& result) mutable {
            ++scans == 1 ? result.clear() : lie(job, range, result);
        };
    } else if (kind == "blind") {
        behaviour.tamper_self_test = [failed = false](const ScanJob&, NonceRange, ScanResult& result) mutable {
            result.clear();
            if (!std::exchange(failed, true)) --failures_to_come;
        };
    } else {
        behaviour.before_scan = [](unsigned) { wait_for_failures(); };
    }
    return behaviour;
}

class FaultyDevice : public test::FakeDevice {
public:
    FaultyDevice(DeviceInfo device_info, std::string_view kind)
        : FakeDevice(device_info.name, genesis(), behaviour_of(kind)),
          info_(std::move(device_info)),
          counts_cycles_(kind != "uncounted") {}

    const DeviceInfo& info() const override { return info_; }
    void scan(const ScanJob& job, NonceRange range, ScanResult& result) override {
        FakeDevice::scan(job, range, result);
        if (!counts_cycles_) result.cycles = {};
    }

private:
    const DeviceInfo info_;
    const bool counts_cycles_;
};

std::string_view environment(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : "";
}

std::vector<Probe> probe(const DeviceOptions&) {
    std::istringstream names{std::string(environment("GPUMINER_FAULTY_DEVICES"))};
    std::vector<Probe> probes;
    for (std::string name; std::getline(names, name, ',');) {
        const auto* kind = std::ranges::find(kKinds, name, &Kind::name);
        if (kind == kKinds.end()) throw InputError("GPUMINER_FAULTY_DEVICES: there is no device " + name);
        Probe probe;
        probe.info.name = "cpu:" + name + "#" + std::to_string(probes.size());
        probe.info.backend = "cpu";
        probe.info.model = "a device for tests";
        probe.reason = kind->unusable;
        probe.usable = probe.reason.empty();
        probe.index = static_cast<unsigned>(kind - kKinds.begin());
        probes.push_back(std::move(probe));
    }
    return probes;
}

std::unique_ptr<Device> open(const Probe& probe, const DeviceOptions&) {
    const Kind& kind = kKinds.at(probe.index);
    if (*kind.does_not_open != '\0') throw DeviceError(kind.does_not_open);
    if (kind.fails_later) ++failures_to_come;
    return std::make_unique<FaultyDevice>(probe.info, kind.name);
}

}  // namespace

extern const Backend kFaultyBackend;
const Backend kFaultyBackend{"cpu", probe, open};

// In place of those of cpu/tsc.cpp, which the linker leaves out.

bool have_rdtscp() { return environment("GPUMINER_FAULTY_COUNTER") != "none"; }

double measured_tsc_hz() {
    if (environment("GPUMINER_FAULTY_COUNTER") == "unused") throw std::logic_error("the counter was measured");
    return 1e9;
}

}  // namespace gpuminer
