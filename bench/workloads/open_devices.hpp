// Opened devices, and the subjects of measurements: fleets of some of them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/workloads/port_probe.hpp"
#include "host/devices/devices.hpp"
#include "host/search/fleet.hpp"
#include "host/search/search.hpp"

namespace gpuminer::bench {

/// A device shared by several fleets, of which one at a time uses it.
class SharedDevice : public Device {
public:
    explicit SharedDevice(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    [[nodiscard]] const DeviceInfo& info() const override { return device_->info(); }
    void attach_thread() override { device_->attach_thread(); }
    [[nodiscard]] std::uint64_t batch() const override { return device_->batch(); }
    [[nodiscard]] bool can_hang() const override { return device_->can_hang(); }
    void scan(const ScanJob& job, NonceRange range, ScanResult& result) override { device_->scan(job, range, result); }

    [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }

private:
    const std::shared_ptr<Device> device_;
};

/// Times what it does, too.
class TimedDevice final : public SharedDevice {
public:
    using SharedDevice::SharedDevice;
    void scan(const ScanJob& job, NonceRange range, ScanResult& result) override;

    /// Called at the beginning of every scan, on the device's thread. Set while no search runs.
    std::function<void()> before_scan = {};
    /// Times now and then, before a scan, how fast the ports take operations; off the device's clock.
    const PortProbe* probe = nullptr;

    // What it did since the last reset(); to be read while no search runs.
    void reset();
    double seconds = 0;  ///< steady_clock, inside the device's scan()
    std::uint64_t hashes = 0;
    std::vector<double> port_rates;  ///< operations per second, one for each probe

private:
    void probe_ports();

    std::chrono::steady_clock::time_point next_probe_{};
};

/// Devices that search together.
struct Subject {
    std::string name;                                   ///< "cpu:avx512#0", "3 CPU threads", "opencl:cpu#0", "all"
    std::vector<std::shared_ptr<TimedDevice>> devices;  ///< those of the fleet
    std::unique_ptr<Fleet> fleet;
};

/// A fleet of these, and handles on what stands in it for each.
[[nodiscard]] Subject make_subject(std::string name, const std::vector<std::shared_ptr<Device>>& devices);

class OpenDevices {
public:
    /// Opens nothing yet. `say`: what it is doing, and what cannot be used.
    OpenDevices(Backends backends, DeviceSelection selection, std::function<void(const std::string&)> say);
    ~OpenDevices();

    /// Opens what the user chose, at the first call. Throws InputError, NoDeviceError.
    [[nodiscard]] const std::vector<std::shared_ptr<Device>>& all();
    [[nodiscard]] bool opened() const { return opened_; }
    /// All together, under this name.
    [[nodiscard]] Subject all_together(std::string name) { return make_subject(std::move(name), all()); }
    /// One CPU thread; all CPU threads together where there are several; each GPU; all together where there are both.
    [[nodiscard]] std::vector<Subject> subjects();

private:
    const Backends backends_;
    const DeviceSelection selection_;
    const std::function<void(const std::string&)> say_;
    bool opened_ = false;
    std::vector<std::shared_ptr<Device>> devices_;
};

}  // namespace gpuminer::bench
