// Tests of GPU sensors: NVIDIA's library (a fake one), the sums over a search, and the pausing of devices.
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "host/sensors/device_meter.hpp"
#include "host/sensors/gpu_sensors.hpp"
#include "host/sensors/temperature_guard.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/temporary_folder.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;

namespace {

constexpr const char* kUuid = "00112233445566778899aabbccddeeff";
constexpr const char* kNvmlUuid = "GPU-00112233-4455-6677-8899-aabbccddeeff";
constexpr const char* kPci = "0000:01:00.0";

DeviceInfo gpu(const std::string& uuid, const std::string& pci) {
    DeviceInfo info;
    info.name = "cuda:sm_90#0";
    info.backend = "cuda";
    info.uuid = uuid;
    info.pci = pci;
    return info;
}

/// What the fake library says from now on, `key value` each.
class Says : public test::TemporaryFolder {
public:
    explicit Says(const std::string& text) {
        setenv("FAKE_NVML_FILE", (path() / "values").c_str(), 1);
        now(text);
    }
    void now(const std::string& text) const { write("values", text); }
};

std::string open_error(const char* library) {
    try {
        const auto sensors = open_nvml(library);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

SensorReading power(double watts) {
    SensorReading reading;
    reading.power_w = watts;
    return reading;
}

SensorReading counter(double joules, double watts = 1) {
    SensorReading reading = power(watts);
    reading.energy_j = joules;
    return reading;
}

}  // namespace

TEST_CASE("a GPU is found by its UUID or its PCI address") {
    const Says says(std::string("uuid ") + kNvmlUuid + " pci " + kPci);
    const auto sensors = open_nvml(FAKE_NVML);
    CHECK(sensors->find(gpu(kUuid, "")));
    CHECK(sensors->find(gpu("", kPci)));
    CHECK(sensors->find(gpu(std::string(32, '0'), kPci)));  // a part of a GPU has a UUID of its own
    CHECK_FALSE(sensors->find(gpu("", "")));
    CHECK_FALSE(sensors->find(gpu(std::string(32, '0'), "0000:02:00.0")));
    CHECK_FALSE(sensors->find(gpu("001122", "")));
}

TEST_CASE("a GPU says what it can") {
    const std::string id = std::string("uuid ") + kNvmlUuid + "\n";
    const Says says(
        id + "temperature 61 power 612500 energy 5000250 power_limit 700000 clock 1980 memory_clock 2619 fan 40");
    const auto sensors = open_nvml(FAKE_NVML);
    const auto number = sensors->find(gpu(kUuid, ""));
    REQUIRE(number);
    const SensorReading all = sensors->read(*number);
    CHECK(all.temperature_c == 61.0);
    CHECK(all.power_w.value() == Approx(612.5));
    CHECK(all.energy_j.value() == Approx(5000.25));
    CHECK(all.power_limit_w.value() == Approx(700));
    CHECK(all.core_clock_mhz == 1980u);
    CHECK(all.memory_clock_mhz == 2619u);
    CHECK(all.fan_percent == 40u);

    says.now(id + "temperature 0 clock 300");  // what is not supported is absent, and what is 0 is 0
    const SensorReading some = sensors->read(*number);
    CHECK(some.temperature_c == 0.0);
    CHECK(some.core_clock_mhz == 300u);
    CHECK_FALSE((some.power_w || some.energy_j || some.power_limit_w || some.memory_clock_mhz || some.fan_percent));
}

TEST_CASE("a library that lacks functions says the rest") {
    const Says says(std::string("uuid ") + kNvmlUuid + " pci " + kPci + " temperature 50 power 100000 fan 3");
    const auto sensors = open_nvml(FAKE_NVML_FEW);
    CHECK_FALSE(sensors->find(gpu(kUuid, "")));
    const auto number = sensors->find(gpu(kUuid, kPci));
    REQUIRE(number);
    const SensorReading reading = sensors->read(*number);
    CHECK(reading.temperature_c == 50.0);
    CHECK_FALSE((reading.power_w || reading.energy_j || reading.power_limit_w || reading.core_clock_mhz ||
                 reading.memory_clock_mhz || reading.fan_percent));
}

TEST_CASE("no library, or one that does not start, is a reason") {
    const Says says("init 9");
    CHECK(contains(open_error("libnvidia-ml-not-here.so.1"), "libnvidia-ml-not-here.so.1"));
    CHECK(open_error(FAKE_NVML) == "Driver Not Loaded");
    CHECK(contains(open_error(FAKE_NVML_FEW), "nvmlInit_v2 returned 9"));
    CHECK(contains(open_error("libc.so.6"), "has no nvmlInit_v2"));
}

TEST_CASE("energy is what the GPU's own counter moves") {
    DeviceMeter meter(10);
    meter.add(10, counter(5000, 99));
    CHECK_FALSE(meter.usage().energy_j);
    meter.add(11, counter(5300, 99));
    meter.add(12, counter(5600, 99));
    CHECK(meter.usage().energy_j.value() == Approx(600));
    CHECK(meter.usage().power_w.value() == Approx(300));
}

TEST_CASE("without a counter energy is power over time") {
    DeviceMeter meter(0);
    meter.add(0, power(100));
    meter.add(1, power(300));
    meter.add(1.5, SensorReading{});  // one that failed
    meter.add(3, power(300));
    CHECK(meter.usage().energy_j.value() == Approx(200 + 600));
    CHECK(meter.usage().power_w.value() == Approx(800.0 / 3));
}

TEST_CASE("a counter that fails, stands still or was reset leaves it to the power") {
    for (const SensorReading& third : {power(200), counter(5000, 200), counter(3, 200)}) {
        DeviceMeter meter(0);
        meter.add(0, counter(5000, 200));
        meter.add(1, counter(5000, 200));
        meter.add(2, third);
        CHECK(meter.usage().energy_j.value() == Approx(400));
    }
    DeviceMeter meter(0);
    meter.add(0, counter(5000, 200));
    meter.add(1, counter(9000, 200));
    meter.add(2, power(200));
    CHECK(meter.usage().energy_j.value() == Approx(400));
}

TEST_CASE("time before the first reading counts at the average power") {
    DeviceMeter meter(1);
    meter.add(1.5, counter(100));
    meter.add(3.5, counter(300));
    CHECK(meter.usage().power_w.value() == Approx(100));
    CHECK(meter.usage().energy_j.value() == Approx(250));
}

TEST_CASE("the power of the moment is what a counter moves where nothing tells it") {
    DeviceMeter meter(0);
    const auto add = [&](double seconds, double joules) {
        SensorReading reading;
        reading.energy_j = joules;
        meter.add(seconds, reading);
        return meter.usage().power_now_w;
    };
    CHECK_FALSE(add(0, 100));
    CHECK_FALSE(add(0.1, 100));  // too soon: the counter moves now and then
    CHECK(add(0.5, 150).value() == Approx(100));
    CHECK(add(0.6, 150).value() == Approx(100));
    CHECK(add(1, 250).value() == Approx(200));
    meter.add(1.5, counter(300, 77));
    CHECK(meter.usage().power_now_w == 77.0);
    meter.add(2, SensorReading{});
    CHECK_FALSE(meter.usage().power_now_w);
}

TEST_CASE("there is no energy without readings, or for a moment") {
    DeviceMeter meter(0);
    CHECK_FALSE(meter.usage().energy_j);
    meter.add(0, counter(100));
    meter.add(0.4, counter(300));
    CHECK_FALSE(meter.usage().energy_j);
    CHECK_FALSE(meter.usage().power_w);
    DeviceMeter silent(0);
    for (const double seconds : {0.0, 1.0, 2.0}) silent.add(seconds, SensorReading{});
    CHECK_FALSE(silent.usage().energy_j);
    CHECK_FALSE(silent.usage().max_temperature_c);
}

TEST_CASE("the highest temperature, and clocks and fan as at the end") {
    DeviceMeter meter(0);
    double seconds = 0;
    for (const double temperature : {40.0, 71.0, 65.0}) {
        SensorReading reading;
        reading.temperature_c = temperature;
        reading.core_clock_mhz = static_cast<unsigned>(10 * temperature);
        reading.fan_percent = static_cast<unsigned>(temperature / 2);
        meter.add(seconds++, reading);
    }
    CHECK(meter.usage().max_temperature_c == 71.0);
    CHECK(meter.usage().core_clock_mhz == 650u);
    CHECK(meter.usage().fan_percent == 32u);
    CHECK_FALSE(meter.usage().memory_clock_mhz);
}

TEST_CASE("a device rests from the highest temperature until it has cooled down") {
    using Step = TemperatureGuard::Step;
    TemperatureGuard guard({.max_c = 80, .resume_c = 70});
    CHECK(guard.observe(79.0) == Step::kNothing);
    CHECK(guard.observe(80.0) == Step::kPause);
    CHECK(guard.paused());
    for (const double still_hot : {95.0, 80.0, 75.0, 70.5}) CHECK(guard.observe(still_hot) == Step::kNothing);
    CHECK(guard.observe(70.0) == Step::kResume);
    CHECK_FALSE(guard.paused());
    CHECK(guard.observe(75.0) == Step::kNothing);
    CHECK(guard.observe(110.0) == Step::kPause);
    CHECK(guard.observe(20.0) == Step::kResume);
}

TEST_CASE("a temperature that was never there is said once") {
    using Step = TemperatureGuard::Step;
    TemperatureGuard guard({.max_c = 80, .resume_c = 70});
    CHECK(guard.observe(std::nullopt) == Step::kGiveUp);
    for (int i = 0; i < 20; ++i) CHECK(guard.observe(std::nullopt) == Step::kNothing);
    CHECK(guard.observe(85.0) == Step::kPause);  // it is there after all
}

TEST_CASE("a device does not wait for ever for a sensor that is gone") {
    using Step = TemperatureGuard::Step;
    TemperatureGuard guard({.max_c = 80, .resume_c = 70});
    CHECK(guard.observe(85.0) == Step::kPause);
    for (int i = 0; i < 5; ++i) CHECK(guard.observe(std::nullopt) == Step::kNothing);
    CHECK(guard.paused());
    CHECK(guard.observe(78.0) == Step::kNothing);  // it was only gone for a while
    for (int i = 0; i < 5; ++i) CHECK(guard.observe(std::nullopt) == Step::kNothing);
    CHECK(guard.observe(std::nullopt) == Step::kGiveUp);
    CHECK_FALSE(guard.paused());
    CHECK(guard.observe(std::nullopt) == Step::kNothing);
    CHECK(guard.observe(85.0) == Step::kPause);
    for (int i = 0; i < 5; ++i) CHECK(guard.observe(std::nullopt) == Step::kNothing);
    CHECK(guard.observe(std::nullopt) == Step::kGiveUp);
    CHECK_FALSE(guard.paused());
}
