#include "cpu/backend.hpp"

#include <algorithm>
#include <string>

#include "cpu/device.hpp"
#include "cpu/isa.hpp"
#include "cpu/topology.hpp"

namespace gpuminer {
namespace {

std::string isa_names() {
    std::string names = "auto";
    for (const cpu::Isa& isa : cpu::isas()) names += std::string(", ") + isa.name;
    return names;
}

const cpu::Isa& choose_isa(const std::string& name) {
    const cpu::Features features = cpu::detect_features();
    if (name == "auto") return cpu::fastest_isa(features);
    const cpu::Isa* const isa = cpu::find_isa(name);
    if (isa == nullptr) throw InputError("expected one of " + isa_names() + " as --isa, got '" + name + "'");
    if (!cpu::usable(*isa, features)) throw NoDeviceError("--isa " + name + " cannot run here: " + isa->missing);
    return *isa;
}

/// Operating-system numbers of the hardware threads to use or to list, in order.
std::vector<unsigned> choose_threads(const DeviceOptions& options) {
    std::vector<unsigned> usable = cpu::usable_hardware_threads();
    if (options.cpu_affinity.empty()) return usable;
    for (const unsigned wanted : options.cpu_affinity) {
        if (std::find(usable.begin(), usable.end(), wanted) != usable.end()) continue;
        std::string numbers;
        for (const unsigned number : usable) numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
        throw InputError("--cpu-affinity takes hardware threads that this process may use (" + numbers + "), not " +
                         std::to_string(wanted));
    }
    return options.cpu_affinity;
}

std::vector<Probe> probe(const DeviceOptions& options) {
    const cpu::Isa& isa = choose_isa(options.isa);
    const std::vector<unsigned> threads = choose_threads(options);
    const auto available = static_cast<unsigned>(threads.size());
    const unsigned by_default = options.threads                ? *options.threads
                                : options.cpu_affinity.empty() ? cpu::default_thread_count(available)
                                                               : available;
    const std::string model = cpu::cpu_model();
    std::vector<Probe> probes;
    for (unsigned i = 0; i < std::max(available, by_default); ++i) {  // more threads than hardware: they share
        Probe probe;
        probe.info.backend = kCpuBackendName;
        probe.info.kind = isa.name;
        probe.info.name = device_name(kCpuBackendName, isa.name, i);
        probe.info.model = model;
        probe.info.description = isa.description;
        probe.used_by_default = i < by_default;
        if (!probe.used_by_default) probe.reason = "left free for the system; use -t or -d to have it work too";
        probe.index = threads[i % available];
        probes.push_back(std::move(probe));
    }
    return probes;
}

std::unique_ptr<Device> open(const Probe& probe, const DeviceOptions& options) {
    const cpu::Isa* const isa = cpu::find_isa(probe.info.kind);
    if (isa == nullptr) throw DeviceError("there is no CPU device " + probe.info.name);
    return cpu::make_device(*isa, probe.info, probe.index, options);
}

}  // namespace

const Backend kCpuBackend{kCpuBackendName.data(), probe, open};

}  // namespace gpuminer
