// A libnvidia-ml.so.1 for tests: one GPU, whose values come from a file (FAKE_NVML_FILE names it; it is read anew at
// each call). A line is `key value`; a value without a line is not supported:
//
//   uuid GPU-…           it is found by this
//   pci 0000:01:00.0     or by this
//   temperature 61       °C             clock 1980          MHz, of the multiprocessors
//   power 612000         mW             memory_clock 2619   MHz
//   power_limit 700000   mW             fan 40              percent
//   energy 5000000       mJ             energy_per_s 600000 mJ that the counter moves each second
//   init 9               nvmlInit_v2 fails with this code
//   delay 5              seconds that each temperature takes: a driver that hangs
//   seen /tmp/…/file     this file is made when the library is used at all
//
// Built with FAKE_NVML_FEW it lacks most functions, as a very old library does.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
const Clock::time_point loaded = Clock::now();
int the_gpu = 0;

std::optional<std::string> value_of(const std::string& key) {
    const char* path = std::getenv("FAKE_NVML_FILE");
    std::ifstream file(path != nullptr ? path : "");
    for (std::string found, value; file >> found >> value;) {
        if (found == key) return value;
    }
    return std::nullopt;
}

template <class Value>
int give(const std::string& key, Value* value) {
    const auto text = value_of(key);
    if (!text) return kNotSupported;
    *value = static_cast<Value>(std::stoull(*text));
    return kSuccess;
}

int find(const char* key, const char* id, void** device) {
    if (value_of(key) != id) return kNotFound;
    *device = &the_gpu;
    return kSuccess;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
    if (const auto path = value_of("seen")) std::ofstream(*path) << "seen\n";
    return std::stoi(value_of("init").value_or("0"));
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) { return find("pci", id, device); }

int nvmlDeviceGetTemperature(void*, int, unsigned* value) {
    std::this_thread::sleep_for(std::chrono::seconds(std::stoi(value_of("delay").value_or("0"))));
    return give("temperature", value);
}

#ifndef FAKE_NVML_FEW

int nvmlShutdown() { return kSuccess; }

const char* nvmlErrorString(int) { return "Driver Not Loaded"; }

int nvmlDeviceGetHandleByUUID(const char* id, void** device) { return find("uuid", id, device); }

int nvmlDeviceGetPowerUsage(void*, unsigned* value) { return give("power", value); }

int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* value) {
    const int result = give("energy", value);
    const double moved = std::stod(value_of("energy_per_s").value_or("0"));
    *value += static_cast<unsigned long long>(moved * std::chrono::duration<double>(Clock::now() - loaded).count());
    return result;
}

int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* value) { return give("power_limit", value); }

int nvmlDeviceGetClockInfo(void*, int kind, unsigned* value) {
    constexpr int kMultiprocessors = 1;
    return give(kind == kMultiprocessors ? "clock" : "memory_clock", value);
}

int nvmlDeviceGetFanSpeed(void*, unsigned* value) { return give("fan", value); }

#endif

}  // extern "C"
