#include "host/sensors/gpu_sensors.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/system/shared_library.hpp"

namespace gpuminer {
namespace {

// The functions used here, as the NVML API reference declares them
// (https://docs.nvidia.com/deploy/nvml-api/). An older library may lack any of them.
extern "C" {
using Handle = struct nvmlDevice_st*;
using Start = int (*)();  // they all return an error code
using ErrorText = const char* (*)(int code);
using Find = int (*)(const char* id, Handle* device);
using ReadNumber = int (*)(Handle device, unsigned* value);
using ReadCounter = int (*)(Handle device, unsigned long long* value);
using ReadOfKind = int (*)(Handle device, int kind, unsigned* value);
}
constexpr int kSuccess = 0;
constexpr int kTemperatureOfGpu = 0;
constexpr int kClockOfMultiprocessors = 1;
constexpr int kClockOfMemory = 2;
constexpr double kMilli = 1e-3;  // NVML counts milliwatts and millijoules

/// "GPU-8-4-4-4-12" of 32 digits, as the library writes it.
std::string nvml_uuid(std::string_view digits) {
    return fmt::format("GPU-{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
                       digits.substr(16, 4), digits.substr(20, 12));
}

class Nvml : public GpuSensors {
public:
    explicit Nvml(const char* library) : library_(library) {
        if (!library_.loaded()) throw std::runtime_error(library_.failure());
        const std::string failure = start();
        if (failure.empty()) return;
        library_.unload();
        throw std::runtime_error(failure);
    }
    ~Nvml() override {
        if (const auto shutdown = library_.function<Start>("nvmlShutdown")) shutdown();
        library_.unload();
    }

    std::optional<std::size_t> find(const DeviceInfo& info) override {
        constexpr std::size_t kUuidDigits = 32;
        Handle handle = nullptr;
        const bool found = (info.uuid.size() == kUuidDigits && ask(by_uuid_, nvml_uuid(info.uuid).c_str(), &handle)) ||
                           (!info.pci.empty() && ask(by_pci_, info.pci.c_str(), &handle));
        if (!found) return std::nullopt;
        handles_.push_back(handle);
        return handles_.size() - 1;
    }

    SensorReading read(std::size_t number) override {
        const Handle handle = handles_.at(number);
        SensorReading reading;
        unsigned value = 0;
        unsigned long long counter = 0;
        if (ask(temperature_, handle, kTemperatureOfGpu, &value)) reading.temperature_c = value;
        if (ask(power_, handle, &value)) reading.power_w = value * kMilli;
        if (ask(energy_, handle, &counter)) reading.energy_j = static_cast<double>(counter) * kMilli;
        if (ask(power_limit_, handle, &value)) reading.power_limit_w = value * kMilli;
        if (ask(clock_, handle, kClockOfMultiprocessors, &value)) reading.core_clock_mhz = value;
        if (ask(clock_, handle, kClockOfMemory, &value)) reading.memory_clock_mhz = value;
        if (ask(fan_, handle, &value)) reading.fan_percent = value;
        return reading;
    }

private:
    /// Why it does not start; empty: it does.
    [[nodiscard]] std::string start() const {
        const auto init = library_.function<Start>("nvmlInit_v2");
        if (init == nullptr) return "it has no nvmlInit_v2";
        const int code = init();
        if (code == kSuccess) return "";
        const auto text = library_.function<ErrorText>("nvmlErrorString");
        return text != nullptr ? text(code) : fmt::format("nvmlInit_v2 returned {}", code);
    }

    /// Whether the function exists and succeeds.
    template <class Function, class... Arguments>
    static bool ask(Function function, Arguments... arguments) {
        return function != nullptr && function(arguments...) == kSuccess;
    }

    SharedLibrary library_;
    const Find by_uuid_ = library_.function<Find>("nvmlDeviceGetHandleByUUID");
    const Find by_pci_ = library_.function<Find>("nvmlDeviceGetHandleByPciBusId_v2");
    const ReadOfKind temperature_ = library_.function<ReadOfKind>("nvmlDeviceGetTemperature");
    const ReadNumber power_ = library_.function<ReadNumber>("nvmlDeviceGetPowerUsage");
    const ReadCounter energy_ = library_.function<ReadCounter>("nvmlDeviceGetTotalEnergyConsumption");
    const ReadNumber power_limit_ = library_.function<ReadNumber>("nvmlDeviceGetEnforcedPowerLimit");
    const ReadOfKind clock_ = library_.function<ReadOfKind>("nvmlDeviceGetClockInfo");
    const ReadNumber fan_ = library_.function<ReadNumber>("nvmlDeviceGetFanSpeed");
    std::vector<Handle> handles_;
};

}  // namespace

std::unique_ptr<GpuSensors> open_nvml(const char* library) { return std::make_unique<Nvml>(library); }

}  // namespace gpuminer
