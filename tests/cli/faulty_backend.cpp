// The backends of gpuminer_faulty: gpuminer's own command line over devices that misbehave as told. The environment
// says which there are, in order (GPUMINER_FAULTY_DEVICES=good,liar,card,vulkan:dead gives cpu:good#0, cpu:liar#1,
// cuda:card#0 and vulkan:dead#0), how long backends take to answer (GPUMINER_FAULTY_PROBES=cuda=1.5,opencl=3600
// seconds), what names drivers give them (GPUMINER_FAULTY_MODEL), and what the cycle counter is like
// (GPUMINER_FAULTY_COUNTER). Right hashes are OpenSSL's.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/machine/cycle_counter.hpp"
#include "tests/host/devices/fake_devices.hpp"

namespace gpuminer {
namespace {

using namespace std::chrono_literals;

struct Kind {
    std::string_view name;
    bool fails_later = false;        ///< while it searches or tests itself, not before
    const char* unusable = "";       ///< why its probe says that it cannot be used
    const char* does_not_open = "";  ///< the DeviceError that opening it throws
    const char* backend = "cpu";     ///< where no other one is named
    double opens_after = 0;          ///< seconds
};

constexpr double kNever = 3600;  // seconds

constexpr std::array kKinds{
    Kind{"good"}, Kind{"uncounted"},  // as good, but without cycle counts
    Kind{"slow"},                     // 2,000 nonces in 100 ms, and never finds anything
    Kind{"dead", true},               // throws at its first scan
    Kind{"late", true},               // throws at its fourth scan, after 0.6 s
    Kind{"liar", true},               // finds nothing in its first scan, then the wrong nonces
    Kind{"blind", true},              // fails the self-test: it never finds anything
    Kind{"absent", false, "it is switched off; switch it on"}, Kind{"broken", false, "", "its driver is too old"},
    // GPUs
    Kind{"none", false, "there is no driver; install one", "", "cuda"},  // the backend's line that says so
    Kind{"card", false, "", "", "cuda"},                // 2,000 nonces in 20 ms; all of them are the same card
    Kind{"software", false, "", "", "opencl"},          // runs on the CPU
    Kind{"silent", true, "", "", "cuda"},               // never returns from its second scan
    Kind{"tardy", true, "", "", "cuda"},                // returns from its second scan after 1.2 s, with wrong nonces
    Kind{"sleepy", false, "", "", "cuda", 1},           // takes a second to open
    Kind{"asleep", false, "", "", "cuda", kNever},      // does not open
    Kind{"sleepless", false, "", "too old", "cuda", 1}  // fails to open after a second
};

std::string_view environment(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : "";
}

void sleep_seconds(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// As the libraries of drivers do: it is destroyed at the end of the process, and does not like to be in use then.
struct Library {
    ~Library() {
        if (threads_inside > 0) std::fputs("a library was destroyed beside a thread in it\n", stderr);
    }
    std::atomic<int> threads_inside = 0;
} library;
struct InLibrary {
    InLibrary() { ++library.threads_inside; }
    ~InLibrary() { --library.threads_inside; }
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
void lie(const Sha256dJob& job, NonceRange range, ScanResult& result) {
    result.clear();
    for (std::uint64_t i = 0; i < range.count && result.candidates.items().size() < 5; ++i) {
        const auto nonce = static_cast<std::uint32_t>(range.first + i);
        if (!passes_top_word(test::last_word(job, 0, nonce), job.target_top())) result.candidates.push({0, nonce});
    }
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
        behaviour.tamper = [scans = 0](const Sha256dJob& job, NonceRange range, ScanResult& result) mutable {
            if (++scans == 1) return result.clear();
            lie(job, range, result);
            --failures_to_come;
        };
    } else if (kind == "blind") {
        behaviour.tamper_self_test = [failed = false](const Sha256dJob&, NonceRange, ScanResult& result) mutable {
            result.clear();
            if (!std::exchange(failed, true)) --failures_to_come;
        };
    } else if (kind == "card") {
        behaviour.delay = 20ms;
    } else if (kind == "silent" || kind == "tardy") {
        const double seconds = kind == "silent" ? kNever : 1.2;
        behaviour.before_scan = [seconds](unsigned scan) {
            if (scan != 2) return;
            --failures_to_come;
            sleep_seconds(seconds);
        };
        behaviour.tamper = [scans = 0](const Sha256dJob& job, NonceRange range, ScanResult& result) mutable {
            if (++scans == 2) lie(job, range, result);
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
          counts_cycles_(info_.is_cpu() && kind != "uncounted") {}

    const DeviceInfo& info() const override { return info_; }
    bool can_hang() const override { return !info_.is_cpu(); }
    void scan(const ScanJob& job, NonceRange range, ScanResult& result) override {
        const InLibrary inside;
        FakeDevice::scan(job, range, result);
        if (!counts_cycles_) result.cycles = {};
    }

private:
    const DeviceInfo info_;
    const bool counts_cycles_;
};

/// The items of a list, taken apart at `separator`.
std::vector<std::string> items(std::string_view list, char separator) {
    std::istringstream stream{std::string(list)};
    std::vector<std::string> result;
    for (std::string item; std::getline(stream, item, separator);) result.push_back(item);
    return result;
}

DeviceInfo info_of(const Kind& kind, const std::string& backend, std::size_t index) {
    DeviceInfo info;
    info.backend = backend;
    info.kind = kind.name;
    info.name = device_name(backend, info.kind, static_cast<unsigned>(index));
    const std::string_view model = environment("GPUMINER_FAULTY_MODEL");
    info.model = model.empty() ? "a device for tests" : model;
    if (info.is_cpu()) return info;
    info.driver = model.empty() ? "driver 1.2" : model;
    info.api_version = "API 1.0";
    info.memory_bytes = std::uint64_t{8} << 30;
    info.units = 4;
    info.clock_mhz = 1500;
    info.software = kind.name == "software";
    if (kind.name == "card") {
        info.uuid = "00112233445566778899aabbccddeeff";
        info.pci = "0000:01:00.0";
    }
    return info;
}

constexpr std::array kNames{
#define GPUMINER_KNOWN_BACKEND(capitalised, name, needs) std::string_view(name),
#include "gpuminer_known_backends.inc"
#undef GPUMINER_KNOWN_BACKEND
};

/// Those of one backend, without counting anything.
std::vector<Probe> devices_of(std::string_view backend) {
    std::vector<Probe> probes;
    for (const std::string& item : items(environment("GPUMINER_FAULTY_DEVICES"), ',')) {
        const std::string name = item.substr(item.find(':') + 1);  // all of it where there is no colon
        const auto* kind = std::ranges::find(kKinds, name, &Kind::name);
        if (kind == kKinds.end()) throw InputError("GPUMINER_FAULTY_DEVICES: there is no device " + name);
        if (backend != (name == item ? kind->backend : item.substr(0, item.find(':')))) continue;
        Probe probe;
        probe.info = info_of(*kind, std::string(backend), probes.size());
        if (name == "none") probe.info.name = backend;
        probe.reason = kind->unusable;
        probe.usable = probe.reason.empty();
        probe.index = static_cast<unsigned>(kind - kKinds.begin());
        probes.push_back(std::move(probe));
    }
    return probes;
}

/// The good ones wait for the failures of GPUs, too, which open later than they.
void expect_failures_of_gpus() {
    for (const std::string_view backend : kNames) {
        if (backend == kCpuBackendName) continue;
        for (const Probe& probe : devices_of(backend)) failures_to_come += kKinds.at(probe.index).fails_later;
    }
}

void take_time_to_answer(const std::string& backend) {
    for (const std::string& item : items(environment("GPUMINER_FAULTY_PROBES"), ',')) {
        if (item.starts_with(backend + "=")) sleep_seconds(std::stod(item.substr(item.find('=') + 1)));
    }
}

std::vector<Probe> probe(const std::string& backend) {
    const InLibrary inside;
    if (backend == kCpuBackendName) expect_failures_of_gpus();
    take_time_to_answer(backend);
    return devices_of(backend);
}

std::unique_ptr<Device> open(const Probe& probe, const DeviceOptions&) {
    const InLibrary inside;
    const Kind& kind = kKinds.at(probe.index);
    sleep_seconds(kind.opens_after);
    if (*kind.does_not_open != '\0') throw DeviceError(kind.does_not_open);
    if (kind.fails_later && probe.info.is_cpu()) ++failures_to_come;
    return std::make_unique<FaultyDevice>(probe.info, kind.name);
}

}  // namespace

#define GPUMINER_KNOWN_BACKEND(capitalised, name, needs) \
    extern const Backend kFaulty##capitalised##Backend;  \
    const Backend kFaulty##capitalised##Backend{name, [](const DeviceOptions&) { return probe(name); }, open};
#include "gpuminer_known_backends.inc"
#undef GPUMINER_KNOWN_BACKEND

// In place of those of cpu/machine/cycle_counter.cpp, which the linker leaves out.

bool have_cycle_counter() { return environment("GPUMINER_FAULTY_COUNTER") != "none"; }

double measured_counter_hz() {
    if (environment("GPUMINER_FAULTY_COUNTER") == "unused") throw std::logic_error("the counter was measured");
    return 1e9;
}

}  // namespace gpuminer
