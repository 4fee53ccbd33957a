// Windows offers neither the CPU's temperature nor the sensors of AMD's and Intel's GPUs to programs.
#include "host/sensors/hwmon.hpp"

namespace gpuminer {
namespace {

class NoSensors : public GpuSensors {
public:
    std::optional<std::size_t> find(const DeviceInfo& /*info*/) override { return std::nullopt; }
    SensorReading read(std::size_t /*number*/) override { return {}; }
};

}  // namespace

std::optional<double> cpu_temperature(const std::filesystem::path& /*folder*/) { return std::nullopt; }

std::unique_ptr<GpuSensors> open_hwmon(const std::filesystem::path& /*folder*/) {
    return std::make_unique<NoSensors>();
}

}  // namespace gpuminer
