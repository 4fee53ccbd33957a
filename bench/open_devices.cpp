#include "bench/open_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "bench/timing.hpp"
#include "host/errors.hpp"

namespace gpuminer::bench {
namespace {

bool is_cpu(const std::shared_ptr<Device>& device) { return device->info().backend == "cpu"; }

/// Those that the user chose, as a Fleet would choose them.
std::vector<ListedDevice> chosen_devices(Backends backends, const DeviceSelection& selection) {
    std::vector<ListedDevice> listed = list_devices(backends, selection);
    if (!selection.devices.empty()) return find_devices(listed, selection.devices);
    std::erase_if(listed, [&](const ListedDevice& device) {
        const bool to_mention = !device.probe.usable && names_backend(selection, device.probe.info.backend);
        return !to_mention && !(device.probe.usable && device.probe.used_by_default);
    });
    return listed;
}

}  // namespace

void TimedDevice::scan(const ScanJob& job, NonceRange range, ScanResult& result) {
    if (before_scan) before_scan();
    probe_ports();
    const double taken = seconds_of([&] { device_->scan(job, range, result); });
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
    std::vector<std::unique_ptr<Device>> timed;
    for (const std::shared_ptr<Device>& device : devices) {
        timed.push_back(std::make_unique<TimedDevice>(device));
        subject.devices.push_back(static_cast<TimedDevice*>(timed.back().get()));
    }
    subject.fleet = std::make_unique<Fleet>(std::move(timed));
    return subject;
}

OpenDevices::OpenDevices(Backends backends, DeviceSelection selection, std::function<void(const std::string&)> say)
    : backends_(backends), selection_(std::move(selection)), say_(std::move(say)) {}

OpenDevices::~OpenDevices() = default;

const std::vector<std::shared_ptr<Device>>& OpenDevices::all() {
    if (std::exchange(opened_, true)) return devices_;
    require_known(selection_);
    std::string reasons;
    for (const ListedDevice& listed : chosen_devices(backends_, selection_)) {
        const std::string& name = listed.probe.info.name;
        try {
            if (listed.backend == nullptr || !listed.probe.usable) throw DeviceError(listed.probe.reason);
            devices_.push_back(listed.backend->open(listed.probe, selection_.options));
        } catch (const DeviceError& error) {
            say_(fmt::format("{} is not measured: {}", name, error.what()));
            reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name, error.what());
        }
    }
    if (devices_.empty()) throw NoDeviceError("no device can be measured" + (reasons.empty() ? "" : ": " + reasons));
    return devices_;
}

std::vector<Subject> OpenDevices::subjects() {
    std::vector<std::shared_ptr<Device>> cpus, others;
    for (const std::shared_ptr<Device>& device : all()) (is_cpu(device) ? cpus : others).push_back(device);
    std::vector<Subject> subjects;
    if (!cpus.empty()) subjects.push_back(make_subject(cpus.front()->info().name, {cpus.front()}));
    if (cpus.size() > 1) subjects.push_back(make_subject(fmt::format("{} CPU threads", cpus.size()), cpus));
    for (const std::shared_ptr<Device>& device : others)
        subjects.push_back(make_subject(device->info().name, {device}));
    if (others.size() + (cpus.empty() ? 0 : 1) > 1) subjects.push_back(make_subject("all", devices_));
    return subjects;
}

}  // namespace gpuminer::bench
