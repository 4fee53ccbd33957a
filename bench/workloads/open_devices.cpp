#include "bench/workloads/open_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "bench/workloads/timing.hpp"
#include "cpu/machine/topology.hpp"
#include "host/errors.hpp"

namespace gpuminer::bench {
namespace {

/// Those that the user chose, as a Fleet would choose them, and those that cannot be used.
std::vector<ListedDevice> chosen_devices(Backends backends, const DeviceSelection& selection) {
    std::vector<ListedDevice> listed = list_devices(backends, selection);
    if (!selection.devices.empty()) return find_devices(listed, selection.devices);
    std::erase_if(listed, [](const ListedDevice& d) { return d.probe.usable && !d.probe.used_by_default; });
    return listed;
}

}  // namespace

void TimedDevice::scan(const ScanJob& job, NonceRange range, ScanResult& result) {
    if (before_scan) before_scan();
    probe_ports();
    const double taken = seconds_of([&] { SharedDevice::scan(job, range, result); });
    seconds += taken;
    hashes += range.count * job.versions().size();
}

/// Every 50 ms, so that the probes see the same clock as the scans, and cool nothing down.
void TimedDevice::probe_ports() {
    constexpr std::chrono::milliseconds kBetweenProbes{50};
    const auto now = std::chrono::steady_clock::now();
    if (probe == nullptr || now < next_probe_) return;
    next_probe_ = now + kBetweenProbes;
    port_rates.push_back(port_rate(*probe));
}

void TimedDevice::reset() {
    seconds = 0;
    hashes = 0;
    port_rates.clear();
}

Subject make_subject(std::string name, const std::vector<std::shared_ptr<Device>>& devices) {
    Subject subject{std::move(name), {}, nullptr};
    std::vector<std::unique_ptr<Device>> lent;  // a fleet closes a device that fails; the timed one is kept
    for (const std::shared_ptr<Device>& device : devices) {
        subject.devices.push_back(std::make_shared<TimedDevice>(device));
        lent.push_back(std::make_unique<SharedDevice>(subject.devices.back()));
    }
    subject.fleet = std::make_unique<Fleet>(std::move(lent));
    return subject;
}

OpenDevices::OpenDevices(Backends backends, DeviceSelection selection, std::function<void(const std::string&)> say)
    : backends_(backends), selection_(std::move(selection)), say_(std::move(say)) {}

OpenDevices::~OpenDevices() = default;

const std::vector<std::shared_ptr<Device>>& OpenDevices::all() {
    if (opened_) return devices_;
    require_known(selection_);
    std::string reasons;
    for (const ListedDevice& listed : chosen_devices(backends_, selection_)) {
        const std::string& name = listed.probe.info.name;
        std::string reason = listed.probe.reason;
        bool asked_for = names_backend(selection_, listed.probe.info.backend);
        if (listed.backend != nullptr && listed.probe.usable) {
            try {
                devices_.push_back(listed.backend->open(listed.probe, selection_.options));
                continue;
            } catch (const DeviceError& error) {
                reason = error.what();
                asked_for = true;
            }
        }
        if (asked_for) say_(fmt::format("{} is not measured: {}", name, reason));
        reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name, reason);
    }
    if (devices_.empty()) throw NoDeviceError("no device can be measured" + (reasons.empty() ? "" : ": " + reasons));
    opened_ = true;
    return devices_;
}

std::vector<Subject> OpenDevices::subjects() {
    std::vector<std::shared_ptr<Device>> cpus, others;
    for (const std::shared_ptr<Device>& device : all()) (device->info().is_cpu() ? cpus : others).push_back(device);
    std::vector<Subject> subjects;
    if (!cpus.empty()) subjects.push_back(make_subject(cpus.front()->info().name, {cpus.front()}));
    // What a miner uses, where the benchmark has them all.
    if (cpus.size() > 2 && cpus.size() == cpu::usable_hardware_threads().size()) {
        const std::vector<std::shared_ptr<Device>> all_but_one(cpus.begin(), cpus.end() - 1);
        subjects.push_back(make_subject(fmt::format("{} CPU threads", all_but_one.size()), all_but_one));
    }
    if (cpus.size() > 1) subjects.push_back(make_subject(fmt::format("{} CPU threads", cpus.size()), cpus));
    for (const std::shared_ptr<Device>& device : others)
        subjects.push_back(make_subject(device->info().name, {device}));
    if (others.size() + (cpus.empty() ? 0 : 1) > 1) subjects.push_back(make_subject("all", devices_));
    return subjects;
}

}  // namespace gpuminer::bench
