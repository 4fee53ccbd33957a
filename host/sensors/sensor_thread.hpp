// The sensor thread of one search: measures energy and temperature for the report, pauses devices that are too hot.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/abandonable_thread.hpp"
#include "host/notices.hpp"
#include "host/sensors/cpu_energy.hpp"
#include "host/sensors/gpu_sensors.hpp"
#include "host/sensors/hwmon.hpp"
#include "host/sensors/sensor_report.hpp"
#include "host/sensors/temperature_guard.hpp"

namespace gpuminer {

struct SensorOptions {
    std::optional<TemperatureLimits> limits;           ///< of GPUs
    std::optional<TemperatureLimits> cpu_limits = {};  ///< of the CPU, for all devices that compute on it
    std::filesystem::path powercap = kPowercapFolder;  ///< where CpuEnergy finds its counters
    std::filesystem::path hwmon = kHwmonFolder;        ///< where the CPU's temperature is, and AMD's and Intel's GPUs
    /// Called once, on the thread, when the first GPU is watched. May throw. Where it does not know a GPU, hwmon may.
    std::function<std::unique_ptr<GpuSensors>()> open_gpus = [] { return open_nvml(); };
    std::chrono::milliseconds period{500};    ///< from one reading to the next
    std::chrono::milliseconds patience{100};  ///< how long finish() waits for a driver
};

class SensorThread {
public:
    /// Called on its thread (or in the constructor), one at a time, and never after finish().
    struct Actions {
        std::function<void(const std::string& device, bool paused)> pause;
        std::function<void(Severity, const std::string& text)> say;
        std::function<void(const SensorReport&)> measured = {};  ///< after each reading: what is measured so far
        std::function<void(const HotDevice&)> hot = {};          ///< whenever one is paused
    };

    /// Starts the thread, and measuring the CPU's energy.
    SensorThread(SensorOptions options, Actions actions);
    ~SensorThread();
    SensorThread(const SensorThread&) = delete;
    SensorThread& operator=(const SensorThread&) = delete;

    /// The device takes part in the search from now on. Only GPUs have sensors of their own: those that compute on the
    /// CPU (software devices, too) share its temperature, and are paused together. From any thread; never waits for a
    /// driver.
    void watch(const DeviceInfo& info);

    /// Takes the last readings and ends the thread. Where a driver blocks it for longer than `patience`, it is
    /// abandoned (abandonable_thread.hpp): then the report has its readings so far, and the energy of GPUs only if the
    /// last reading is at most 2 s old.
    SensorReport finish();

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    AbandonableThread thread_;
    bool finished_ = false;
    SensorReport report_;
};

}  // namespace gpuminer
