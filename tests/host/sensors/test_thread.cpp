// Tests of the sensor thread: its devices, its messages, its pauses, and drivers that hang.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/abandonable_thread.hpp"
#include "host/sensors/sensor_thread.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

DeviceInfo device(const std::string& name) {
    DeviceInfo info;
    info.name = name;
    info.backend = name.substr(0, name.find(':'));
    return info;
}

/// Temperatures that a test sets, by device name; the thread may outlive the test.
struct Weather {
    std::mutex mutex;
    std::map<std::string, std::optional<double>> celsius;
    std::vector<std::string> found;
    std::atomic<int> opened = 0;
    std::atomic<int> reads = 0;

    void set(const std::string& name, std::optional<double> temperature) {
        const std::lock_guard lock(mutex);
        celsius[name] = temperature;
    }
    std::optional<double> of(const std::string& name) {
        const std::lock_guard lock(mutex);
        return celsius[name];
    }
};

class FakeSensors : public GpuSensors {
public:
    FakeSensors(std::shared_ptr<Weather> weather, std::shared_future<void> hang)
        : weather_(std::move(weather)), hang_(std::move(hang)) {}

    std::optional<std::size_t> find(const DeviceInfo& info) override {
        const std::lock_guard lock(weather_->mutex);
        if (!weather_->celsius.contains(info.name)) return std::nullopt;
        weather_->found.push_back(info.name);
        return weather_->found.size() - 1;
    }
    GpuReading read(std::size_t number) override {
        if (hang_.valid()) hang_.wait();
        GpuReading reading;
        reading.temperature_c = weather_->of(weather_->found.at(number));
        reading.power_w = 250;
        ++weather_->reads;
        return reading;
    }

private:
    std::shared_ptr<Weather> weather_;
    std::shared_future<void> hang_;
};

/// What the thread said and did, in order: "info: …", "pause cuda:a#0".
class Heard {
public:
    SensorThread::Actions actions() {
        return {.pause = [this](const std::string& name, bool paused) { add((paused ? "pause " : "resume ") + name); },
                .say =
                    [this](Severity severity, const std::string& text) {
                        add((severity == Severity::kDebug  ? "debug: "
                             : severity == Severity::kInfo ? "info: "
                                                           : "warning: ") +
                            text);
                    }};
    }
    /// All that began with one of these words, once there are `count` of them (or after a minute).
    std::vector<std::string> wait_for(std::size_t count, const std::string& words) {
        const auto limit = Clock::now() + 60s;
        for (;;) {
            std::vector<std::string> result;
            {
                const std::lock_guard lock(mutex_);
                for (const std::string& line : lines_) {
                    if (words.find(line.substr(0, line.find_first_of(" :"))) != std::string::npos)
                        result.push_back(line);
                }
            }
            if (result.size() >= count || Clock::now() > limit) return result;
            std::this_thread::sleep_for(1ms);
        }
    }

private:
    void add(const std::string& line) {
        const std::lock_guard lock(mutex_);
        lines_.push_back(line);
    }

    std::mutex mutex_;
    std::vector<std::string> lines_;
};

SensorOptions options(const std::shared_ptr<Weather>& weather, std::optional<TemperatureLimits> limits = {},
                      const std::shared_future<void>& hang = {}) {
    SensorOptions result;
    result.limits = limits;
    result.powercap = "/nonexistent";
    result.open_gpus = [weather, hang] {
        ++weather->opened;
        return std::make_unique<FakeSensors>(weather, hang);
    };
    result.period = 2ms;
    return result;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("no GPU takes part, no sensors are opened") {
    const auto weather = std::make_shared<Weather>();
    Heard heard;
    SensorThread sensors(options(weather, TemperatureLimits{80, 70}), heard.actions());
    sensors.watch(device("cpu:avx2#0"));
    DeviceInfo software = device("opencl:cpu#0");
    software.software = true;
    sensors.watch(software);
    std::this_thread::sleep_for(20ms);
    CHECK(sensors.finish().gpus.empty());
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
    CHECK(report.gpus.at("cuda:a#0").max_temperature_c == 60.0);
    CHECK(report.gpus.at("cuda:b#1").max_temperature_c == 81.4);
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
    std::this_thread::sleep_for(30ms);
    CHECK(heard.wait_for(2, "warning") ==
          Lines{"warning: cuda:a#0 is not guarded by --max-temp: its temperature cannot be read",
                "warning: vulkan:other#0 is not guarded by --max-temp: its temperature cannot be read"});
    const SensorReport report = sensors.finish();
    CHECK_FALSE(report.gpus.at("vulkan:other#0").max_temperature_c);
    const Lines debug = heard.wait_for(2, "debug");
    REQUIRE(debug.size() == 2);
    CHECK(contains(debug[0], "CPU package energy is not measured"));
    CHECK(debug[1] ==
          (library ? "debug: vulkan:other#0 has no sensors that can be read" : "debug: no GPU sensors: there is none"));
}

TEST_CASE("without limits nobody is paused or warned") {
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 109);
    Heard heard;
    SensorThread sensors(options(weather), heard.actions());
    sensors.watch(device("cuda:a#0"));
    sensors.watch(device("cuda:b#1"));
    std::this_thread::sleep_for(20ms);
    CHECK(sensors.finish().gpus.at("cuda:a#0").max_temperature_c == 109.0);
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
    CHECK(report.gpus.at("cuda:a#0").max_temperature_c == 50.0);
    CHECK_FALSE(report.gpus.at("cuda:a#0").energy_j);
    CHECK(sensors.finish().gpus.size() == 1);  // again: the same
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
    SensorThread sensors(std::move(all), {});
    const auto began = Clock::now();
    sensors.watch(device("cuda:a#0"));
    while (weather->reads == 0) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(600ms);
    while (weather->reads < 3) std::this_thread::sleep_for(1ms);  // power is between two readings that have been told
    powercap.write("later", "31000000\n");                        // never half written
    std::filesystem::rename(powercap.path() / "later", powercap.path() / "intel-rapl:0/energy_uj");
    const SensorReport report = sensors.finish();
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    const GpuUsage& usage = report.gpus.at("cuda:a#0");
    CHECK(usage.power_w.value() == Approx(250));
    CHECK(usage.energy_j.value() >= 250 * 0.6);
    CHECK(usage.energy_j.value() <= 250 * seconds);
    CHECK(report.cpu_energy_j.value() == Approx(30));
    CHECK(report.cpu_power_w.value() <= 50.001);
    CHECK(report.cpu_power_w.value() >= 30 / seconds * 0.5);
}

TEST_CASE("a driver that hangs is left behind") {
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 99);
    std::promise<void> wakes_up;
    Heard heard;
    auto sensors = std::make_unique<SensorThread>(
        options(weather, TemperatureLimits{80, 70}, wakes_up.get_future().share()), heard.actions());
    sensors->watch(device("cuda:a#0"));
    std::this_thread::sleep_for(20ms);
    const auto began = Clock::now();
    const SensorReport report = sensors->finish();
    CHECK(Clock::now() - began < 30s);  // 0.1 s, on a machine that is not busy
    CHECK(any_abandoned_threads());
    CHECK(report.gpus.empty());
    sensors.reset();
    wakes_up.set_value();  // its late return touches nothing that is gone
    while (weather.use_count() > 1) std::this_thread::sleep_for(1ms);
    CHECK(heard.wait_for(0, "pause resume info warning").empty());
}

TEST_CASE("a driver that hangs at the end costs the last reading only") {
    const auto weather = std::make_shared<Weather>();
    weather->set("cuda:a#0", 50);
    std::promise<void> hangs;
    std::atomic<bool> hanging = false;
    SensorOptions all = options(weather);
    all.open_gpus = [&, weather]() -> std::unique_ptr<GpuSensors> {
        struct HangsLater : FakeSensors {
            HangsLater(const std::shared_ptr<Weather>& its_weather, std::atomic<bool>& now,
                       std::shared_future<void> until)
                : FakeSensors(its_weather, {}), hanging(now), woken(std::move(until)) {}
            GpuReading read(std::size_t number) override {
                if (hanging) woken.wait();
                return FakeSensors::read(number);
            }
            std::atomic<bool>& hanging;
            const std::shared_future<void> woken;
        };
        return std::make_unique<HangsLater>(weather, hanging, hangs.get_future().share());
    };
    auto sensors = std::make_unique<SensorThread>(std::move(all), SensorThread::Actions{});
    const auto began = Clock::now();
    sensors->watch(device("cuda:a#0"));
    std::this_thread::sleep_for(700ms);
    hanging = true;
    std::this_thread::sleep_for(100ms);
    const GpuUsage usage = sensors->finish().gpus.at("cuda:a#0");
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    CHECK(usage.power_w.value() == Approx(250));
    CHECK(usage.energy_j.value() >= 250 * 0.8);
    CHECK(usage.energy_j.value() <= 250 * seconds);
    sensors.reset();
    hangs.set_value();
    while (weather.use_count() > 1) std::this_thread::sleep_for(1ms);
}
