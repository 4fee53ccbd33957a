// Tests of the sensor thread: its devices, its messages, its pauses, and drivers that hang.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/abandonable_thread.hpp"
#include "host/mutex.hpp"
#include "host/sensors/sensor_thread.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/host/sensors/hwmon_folder.hpp"
#include "tests/messages.hpp"
#include "tests/waiting.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using Clock = std::chrono::steady_clock;

namespace {

DeviceInfo device(const std::string& name) {
    DeviceInfo info;
    info.name = name;
    info.backend = name.substr(0, name.find(':'));
    return info;
}

DeviceInfo software_device(const std::string& name) {
    DeviceInfo info = device(name);
    info.software = true;
    return info;
}

/// Temperatures that a test sets, by device name; the thread may outlive the test.
struct Weather {
    std::mutex mutex;
    std::map<std::string, std::optional<double>> celsius;
    std::vector<std::string> found;
    std::atomic<int> opened = 0;
    std::atomic<bool> hanging = false;
    const Event hangs;    ///< a call of the driver does
    const Event returns;  ///< and then goes on

    void set(const std::string& name, std::optional<double> temperature) {
        const std::lock_guard lock(mutex);
        celsius[name] = temperature;
    }
};

struct FakeSensors final : GpuSensors {
    explicit FakeSensors(std::shared_ptr<Weather> its_weather) : weather(std::move(its_weather)) {}
    std::optional<std::size_t> find(const DeviceInfo& info) override {
        const std::lock_guard lock(weather->mutex);
        if (!weather->celsius.contains(info.name)) return std::nullopt;
        weather->found.push_back(info.name);
        return weather->found.size() - 1;
    }
    SensorReading read(std::size_t number) override {
        if (weather->hanging) {
            weather->hangs.happen();
            weather->returns.wait();
        }
        const std::lock_guard lock(weather->mutex);
        SensorReading reading;
        reading.temperature_c = weather->celsius[weather->found.at(number)];
        reading.power_w = 250;
        return reading;
    }

    const std::shared_ptr<Weather> weather;
};

/// What the thread said and did, in order: "info: …", "pause cuda:a#0".
class Heard {
public:
    SensorThread::Actions actions() {
        return {
            .pause = [this](const std::string& name, bool paused) { add((paused ? "pause " : "resume ") + name); },
            .say = [this](Severity severity, const std::string& text) { add(severity_name(severity) + (": " + text)); },
            .measured = [this](const SensorReport& report) { measure(report); },
            .hot = [this](const HotDevice& hot) { add("hot " + hot.device + ": " + hot.text); }};
    }
    /// All that began with one of these words, once there are `count` of them (or after a minute).
    std::vector<std::string> wait_for(std::size_t count, const std::string& words) {
        std::vector<std::string> result;
        const MutexLock lock(mutex_);
        changed_.wait_for(mutex_, 60s, [&]() GPUMINER_REQUIRES(mutex_) {
            result.clear();
            for (const std::string& line : lines_) {
                if (words.find(line.substr(0, line.find_first_of(" :"))) != std::string::npos) result.push_back(line);
            }
            return result.size() >= count;
        });
        return result;
    }
    void wait_for_readings(int count) {
        const MutexLock lock(mutex_);
        const int last = readings_ + count;
        changed_.wait(mutex_, [&]() GPUMINER_REQUIRES(mutex_) { return readings_ >= last; });
    }
    void wait_for_device(const std::string& name) {
        const MutexLock lock(mutex_);
        changed_.wait(mutex_, [&]() GPUMINER_REQUIRES(mutex_) { return measured_.devices.contains(name); });
    }
    /// Until it has used so much; returns how much is measured.
    double wait_for_joules(const std::string& name, double joules) {
        const MutexLock lock(mutex_);
        changed_.wait(mutex_, [&]() GPUMINER_REQUIRES(mutex_) {
            return measured_.devices.contains(name) && measured_.devices.at(name).energy_j >= joules;
        });
        return *measured_.devices.at(name).energy_j;
    }

private:
    void add(const std::string& line) {
        const MutexLock lock(mutex_);
        lines_.push_back(line);
        changed_.notify_all();
    }
    void measure(const SensorReport& report) {
        const MutexLock lock(mutex_);
        measured_ = report;
        ++readings_;
        changed_.notify_all();
    }

    Mutex mutex_;
    Condition changed_;
    std::vector<std::string> lines_ GPUMINER_GUARDED_BY(mutex_);
    SensorReport measured_ GPUMINER_GUARDED_BY(mutex_);
    int readings_ GPUMINER_GUARDED_BY(mutex_) = 0;
};

SensorOptions options(const std::shared_ptr<Weather>& weather, std::optional<TemperatureLimits> limits = {}) {
    SensorOptions result;
    result.limits = limits;
    result.powercap = "/nonexistent";
    result.hwmon = "/nonexistent";
    result.open_gpus = [weather] {
        ++weather->opened;
        return std::make_unique<FakeSensors>(weather);
    };
    result.period = 2ms;
    return result;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("no GPU takes part, no sensors of GPUs are opened") {
    const auto weather = std::make_shared<Weather>();
    Heard heard;
    SensorThread sensors(options(weather, TemperatureLimits{80, 70}), heard.actions());
    sensors.watch(device("cpu:avx2#0"));
    sensors.watch(software_device("opencl:cpu#0"));
    const SensorReport report = sensors.finish();
    CHECK_FALSE(report.devices.at("cpu:avx2#0").max_temperature_c);
    CHECK_FALSE(report.devices.at("opencl:cpu#0").max_temperature_c);
    CHECK(weather->opened == 0);
    CHECK(heard.wait_for(0, "info warning pause resume").empty());
}

TEST_CASE("a device that gets hot is paused and goes on when it is cool, others do not care") {
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 60);
    weather->set("cuda:b#1", 60);
    Heard heard;
    SensorThread sensors(options(weather, TemperatureLimits{80, 70}), heard.actions());
    sensors.watch(device("cuda:a#0"));
    sensors.watch(device("cuda:b#1"));
    sensors.watch(device("cuda:a#0"));  // the next job's search has the same devices
    weather->set("cuda:b#1", 81.4);
    CHECK(heard.wait_for(2, "pause info") ==
          Lines{"pause cuda:b#1", "info: cuda:b#1 is paused at 81 °C until it cools to 70 °C"});
    weather->set("cuda:b#1", 69);
    CHECK(heard.wait_for(4, "pause resume info") == Lines{"pause cuda:b#1",
                                                          "info: cuda:b#1 is paused at 81 °C until it cools to 70 °C",
                                                          "resume cuda:b#1", "info: cuda:b#1 resumes at 69 °C"});
    const SensorReport report = sensors.finish();
    CHECK(report.devices.at("cuda:a#0").max_temperature_c == 60.0);
    CHECK(report.devices.at("cuda:b#1").max_temperature_c == 81.4);
    CHECK(heard.wait_for(0, "pause resume info warning").size() == 4);
    CHECK(weather->opened == 1);
    CHECK(weather->found == Lines{"cuda:a#0", "cuda:b#1"});
}

TEST_CASE("one warning for each device whose temperature cannot be read") {
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", std::nullopt);
    Heard heard;
    SensorOptions all = options(weather, TemperatureLimits{80, 70});
    const bool library = GENERATE(true, false);
    if (!library) all.open_gpus = []() -> std::unique_ptr<GpuSensors> { throw std::runtime_error("there is none"); };
    SensorThread sensors(std::move(all), heard.actions());
    sensors.watch(device("cuda:a#0"));        // no temperature
    sensors.watch(device("vulkan:other#0"));  // not known at all
    heard.wait_for(2, "warning");
    heard.wait_for_readings(3);
    CHECK(heard.wait_for(2, "warning") ==
          Lines{"warning: cuda:a#0 is not guarded by --max-temp: its temperature cannot be read",
                "warning: vulkan:other#0 is not guarded by --max-temp: its temperature cannot be read"});
    const SensorReport report = sensors.finish();
    CHECK_FALSE(report.devices.at("vulkan:other#0").max_temperature_c);
    const Lines debug = heard.wait_for(2, "debug");
    CHECK(contains(debug.at(0), "CPU package energy is not measured"));
    CHECK(debug.at(1) == (library ? "debug: vulkan:other#0 has no sensors that can be read"
                                  : "debug: no sensors of NVIDIA GPUs: there is none"));
    CHECK(debug.size() == (library ? 2 : 4));
}

TEST_CASE("a GPU that NVIDIA's library does not know is looked for among Linux's chips") {
    const test::HwmonFolder hwmon;
    hwmon.chip("hwmon3", "amdgpu", {{"temp1_label", "edge"}, {"temp1_input", "85000"}}, "0000:03:00.0");
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 60);
    Heard heard;
    SensorOptions all = options(weather, TemperatureLimits{80, 70});
    all.hwmon = hwmon.path();
    SensorThread sensors(std::move(all), heard.actions());
    DeviceInfo amd = device("vulkan:gpu#0");
    amd.pci = "0000:03:00.0";
    sensors.watch(device("cuda:a#0"));
    sensors.watch(amd);
    CHECK(heard.wait_for(3, "pause info hot") ==
          Lines{"pause vulkan:gpu#0", "info: vulkan:gpu#0 is paused at 85 °C until it cools to 70 °C",
                "hot vulkan:gpu#0: vulkan:gpu#0 is paused at 85 °C until it cools to 70 °C"});
    const SensorReport report = sensors.finish();
    CHECK(report.devices.at("cuda:a#0").temperature_c == 60.0);
    CHECK(report.devices.at("vulkan:gpu#0").temperature_c == 85.0);
}

TEST_CASE("all that computes on a CPU that gets hot is paused, by a limit of its own") {
    const test::HwmonFolder hwmon;
    hwmon.chip("hwmon1", "coretemp", {{"temp1_label", "Package id 0"}, {"temp1_input", "50000"}});
    hwmon.chip("hwmon2", "coretemp", {{"temp1_label", "Package id 1"}, {"temp1_input", "60000"}});
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 95);
    Heard heard;
    SensorOptions all = options(weather);
    all.cpu_limits = TemperatureLimits{90, 80};
    all.hwmon = hwmon.path();
    SensorThread sensors(std::move(all), heard.actions());
    sensors.watch(device("cpu:avx2#0"));
    sensors.watch(device("cuda:a#0"));
    sensors.watch(device("cpu:avx2#1"));
    heard.wait_for_device("cpu:avx2#1");
    hwmon.set("hwmon1/temp1_input", "91000");
    Lines lines{"pause cpu:avx2#0", "pause cpu:avx2#1", "info: cpu is paused at 91 °C until it cools to 80 °C",
                "hot cpu: cpu is paused at 91 °C until it cools to 80 °C"};
    CHECK(heard.wait_for(4, "pause info hot") == lines);
    sensors.watch(software_device("opencl:cpu#0"));  // late, and the next job's search has the others once more
    sensors.watch(device("cpu:avx2#0"));
    lines.emplace_back("pause opencl:cpu#0");
    CHECK(heard.wait_for(5, "pause info hot") == lines);
    hwmon.set("hwmon1/temp1_input", "80000");
    for (const char* line :
         {"resume cpu:avx2#0", "resume cpu:avx2#1", "resume opencl:cpu#0", "info: cpu resumes at 80 °C"})
        lines.emplace_back(line);
    CHECK(heard.wait_for(9, "pause resume info hot") == lines);
    const SensorReport report = sensors.finish();
    CHECK(report.devices.at("cpu:avx2#1").max_temperature_c == 91.0);
    CHECK(report.devices.at("opencl:cpu#0").temperature_c == 80.0);
    CHECK_FALSE(report.devices.at("cpu:avx2#0").energy_j);
    CHECK(heard.wait_for(0, "warning").empty());
}

TEST_CASE("a CPU whose temperature is gone is resumed with a warning, and has none") {
    const test::HwmonFolder hwmon;
    hwmon.chip("hwmon1", "k10temp", {{"temp1_label", "Tctl"}, {"temp1_input", "95000"}});
    Heard heard;
    SensorOptions all = options(std::make_shared<Weather>());
    all.cpu_limits = TemperatureLimits{90, 80};
    all.hwmon = hwmon.path();
    SensorThread sensors(std::move(all), heard.actions());
    sensors.watch(device("cpu:avx2#0"));
    heard.wait_for(1, "info");
    hwmon.remove("hwmon1");
    CHECK(heard.wait_for(4, "pause resume info warning") ==
          Lines{"pause cpu:avx2#0", "info: cpu is paused at 95 °C until it cools to 80 °C", "resume cpu:avx2#0",
                "warning: cpu is not guarded by --max-cpu-temp: its temperature cannot be read"});
    const DeviceUsage usage = sensors.finish().devices.at("cpu:avx2#0");
    CHECK(usage.max_temperature_c == 95.0);
    CHECK_FALSE(usage.temperature_c);
}

TEST_CASE("without limits nobody is paused or warned") {
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 109);
    Heard heard;
    SensorThread sensors(options(weather), heard.actions());
    sensors.watch(device("cuda:a#0"));
    sensors.watch(device("cuda:b#1"));
    heard.wait_for_readings(3);
    CHECK(sensors.finish().devices.at("cuda:a#0").max_temperature_c == 109.0);
    CHECK(heard.wait_for(0, "pause resume info warning").empty());
}

TEST_CASE("a short search has readings of its end at least") {
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 50);
    SensorOptions all = options(weather);
    all.period = 1h;
    SensorThread sensors(std::move(all), {});
    sensors.watch(device("cuda:a#0"));
    const SensorReport report = sensors.finish();
    CHECK(report.devices.at("cuda:a#0").max_temperature_c == 50.0);
    CHECK_FALSE(report.devices.at("cuda:a#0").energy_j);
    CHECK(sensors.finish().devices.size() == 1);  // again: the same
}

TEST_CASE("energy over a search") {
    const test::TemporaryFolder powercap;
    powercap.write("intel-rapl:0/name", "package-0\n");
    powercap.write("intel-rapl:0/max_energy_range_uj", "65532610987\n");
    powercap.write("intel-rapl:0/energy_uj", "1000000\n");
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 50);
    SensorOptions all = options(weather);
    all.powercap = powercap.path();
    constexpr double kWatts = 250, kSeconds = 0.1;
    Heard heard;
    const auto began = Clock::now();
    SensorThread sensors(std::move(all), heard.actions());
    sensors.watch(device("cuda:a#0"));
    const double measured = heard.wait_for_joules("cuda:a#0", kWatts * kSeconds);
    powercap.write("later", "31000000\n");  // never half written
    std::filesystem::rename(powercap.path() / "later", powercap.path() / "intel-rapl:0/energy_uj");
    const SensorReport report = sensors.finish();
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    const DeviceUsage& usage = report.devices.at("cuda:a#0");
    CHECK(usage.power_w.value() == Approx(kWatts));
    CHECK(usage.energy_j.value() >= measured);
    CHECK(usage.energy_j.value() <= kWatts * seconds);
    CHECK(report.cpu_energy_j.value() == Approx(30));
    CHECK(report.cpu_power_w.value() <= 30 / kSeconds);
    CHECK(report.cpu_power_w.value() >= 30 / seconds * 0.5);
}

TEST_CASE("a driver that hangs is left behind") {
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 99);
    weather->hanging = true;
    Heard heard;
    auto sensors = std::make_unique<SensorThread>(options(weather, TemperatureLimits{80, 70}), heard.actions());
    sensors->watch(device("cuda:a#0"));
    weather->hangs.wait();
    const auto began = Clock::now();
    const SensorReport report = sensors->finish();
    CHECK(Clock::now() - began < 30s);
    CHECK(any_abandoned_threads());
    CHECK(report.devices.empty());
    sensors.reset();
    weather->returns.happen();  // late, and it touches nothing that is gone
    wait_until([&] { return weather.use_count() == 1; });
    CHECK(heard.wait_for(0, "pause resume info warning").empty());
}

TEST_CASE("a driver that hangs at the end costs the last reading only") {
    constexpr double kWatts = 250;
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 50);
    Heard heard;
    SensorOptions all = options(weather);
    const std::chrono::duration<double> patience = all.patience;
    const auto began = Clock::now();
    auto sensors = std::make_unique<SensorThread>(std::move(all), heard.actions());
    sensors->watch(device("cuda:a#0"));
    const double measured = heard.wait_for_joules("cuda:a#0", 1);
    weather->hanging = true;
    weather->hangs.wait();
    const DeviceUsage usage = sensors->finish().devices.at("cuda:a#0");
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    CHECK(usage.power_w.value() == Approx(kWatts));
    CHECK(usage.energy_j.value() >= measured + kWatts * patience.count());
    CHECK(usage.energy_j.value() <= kWatts * seconds);
    sensors.reset();
    weather->returns.happen();
    wait_until([&] { return weather.use_count() == 1; });
}
