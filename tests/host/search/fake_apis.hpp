// Backends for tests of fleets; each test sets their devices and their behaviour.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/search/fleet.hpp"
#include "search_tools.hpp"

namespace gpuminer::test {

/// What one backend does. Functions of a Backend are plain, so each has a place of its own, for ever.
struct FakeApi {
    std::function<std::vector<Probe>()> probe;
    std::function<std::unique_ptr<Device>(const Probe&)> open;
    std::atomic<int> probes = 0;  ///< how often it was asked

    void reset() {
        probe = {};
        open = {};
        probes = 0;
    }
};
inline std::atomic<int> calls_inside = 0;  ///< of all backends: threads that are in one
struct CallInside {
    CallInside() { ++calls_inside; }
    ~CallInside() { --calls_inside; }
};

template <int kNumber>
struct FakeApiAt {
    static inline FakeApi api;
    static std::vector<Probe> probe(const DeviceOptions&) {
        const CallInside call;
        ++api.probes;
        return api.probe ? api.probe() : std::vector<Probe>{};
    }
    static std::unique_ptr<Device> open(const Probe& probe, const DeviceOptions&) {
        const CallInside call;
        return api.open(probe);
    }
};

inline constexpr Backend kFakeCpu{"cpu", FakeApiAt<0>::probe, FakeApiAt<0>::open};
inline constexpr Backend kFakeCuda{"cuda", FakeApiAt<1>::probe, FakeApiAt<1>::open};
inline constexpr Backend kFakeOpencl{"opencl", FakeApiAt<2>::probe, FakeApiAt<2>::open};
inline constexpr Backend kFakeVulkan{"vulkan", FakeApiAt<3>::probe, FakeApiAt<3>::open};
inline constexpr const Backend* kFakeBackends[] = {&kFakeCpu, &kFakeCuda, &kFakeOpencl, &kFakeVulkan};

/// A device as its backend sees it.
inline Probe probe_of(const std::string& name, const std::string& reason = "") {
    Probe probe;
    probe.info.name = name;
    probe.info.backend = name.substr(0, name.find(':'));
    probe.info.model = "a device for tests";
    probe.usable = reason.empty();
    probe.reason = reason;
    return probe;
}

inline DeviceSelection selection_of(const std::vector<std::string>& backends,
                                    const std::vector<std::string>& devices = {}) {
    DeviceSelection selection;
    selection.backends = backends;
    selection.devices = devices;
    return selection;
}

/// Those of a machine in one test. At its end everything that hangs goes on, and is waited for.
class Machine {
public:
    Machine() {
        for (FakeApi* api : all()) api->reset();
    }
    ~Machine() {
        hang.happen();
        wait_until([] { return calls_inside == 0 && FakeDevice::alive == 0; });
        pass_time(5ms);                           // the threads end
        for (FakeApi* api : all()) api->reset();  // what they hold may be of simulated threads
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    FakeApi& cpu = FakeApiAt<0>::api;
    FakeApi& cuda = FakeApiAt<1>::api;
    FakeApi& opencl = FakeApiAt<2>::api;
    FakeApi& vulkan = FakeApiAt<3>::api;
    const Event hang;  ///< until the end

    /// The backend has this device, which opens after `opening` and behaves like that.
    static void has(FakeApi& api, const Probe& probe, const Behaviour& behaviour = {},
                    std::chrono::milliseconds opening = 0ms) {
        api.probe = [before = api.probe, probe] {
            std::vector<Probe> probes = before ? before() : std::vector<Probe>{};
            probes.push_back(probe);
            return probes;
        };
        api.open = [before = api.open, name = probe.info.name, behaviour, opening](const Probe& wanted) {
            if (wanted.info.name != name) return before(wanted);
            pass_time(opening);
            return std::unique_ptr<Device>(std::make_unique<FakeDevice>(name, genesis(), behaviour));
        };
    }

private:
    std::vector<FakeApi*> all() { return {&cpu, &cuda, &opencl, &vulkan}; }
};

/// Devices that take their time are soon not waited for.
inline FleetTimes quick_to_find() { return {.head_start = 0ms, .alias = 200ms, .tick = 10ms}; }

}  // namespace gpuminer::test
