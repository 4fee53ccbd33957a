// Watches the sensors of the devices of one search from a thread of its own: measures energy and temperature for the
// report, and pauses what gets too hot.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "host/notices.hpp"
#include "host/sensors/cpu_energy.hpp"
#include "host/sensors/nvml.hpp"
#include "host/sensors/sensor_report.hpp"
#include "host/sensors/temperature_guard.hpp"

namespace gpuminer {

struct SensorOptions {
    std::optional<TemperatureLimits> limits;
    std::filesystem::path powercap = powercap_folder();
    /// Called once, on the thread, when the first GPU is watched. May throw.
    std::function<std::unique_ptr<GpuSensors>()> open_gpus = [] { return open_nvml(); };
    std::chrono::milliseconds period{500};    ///< from one reading to the next
    std::chrono::milliseconds patience{100};  ///< the longest that finish() waits for a driver
};

class SensorThread {
public:
    /// What it does to others, called on its thread (or in the constructor) and never after finish().
    struct Actions {
        std::function<void(const std::string& device, bool paused)> pause;
        std::function<void(Severity, const std::string& text)> say;
    };

    /// Measuring the CPU begins here.
    SensorThread(SensorOptions options, Actions actions);
    ~SensorThread();
    SensorThread(const SensorThread&) = delete;
    SensorThread& operator=(const SensorThread&) = delete;

    /// The device takes part from now on. GPUs are what this is for; CPU and software devices change nothing.
    /// From any thread; never waits for a driver.
    void watch(const DeviceInfo& info);

    /// Takes the last readings and ends the thread. One that sits in a driver is left behind (abandoned_threads.hpp);
    /// then the report has the readings up to there, and the energy of GPUs only if that is not long ago.
    SensorReport finish();

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    std::thread thread_;
    bool finished_ = false;
    SensorReport report_;
};

}  // namespace gpuminer
