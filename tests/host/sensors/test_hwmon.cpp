// Temperatures of CPUs, and the sensors of AMD and Intel GPUs, from folders like Linux's /sys/class/hwmon.
#include <optional>
#include <string>

#include "cli/run/setup.hpp"
#include "host/sensors/hwmon.hpp"
#include "host/sensors/sensor_thread.hpp"
#include "tests/catch.hpp"
#include "tests/host/sensors/hwmon_folder.hpp"

using namespace gpuminer;

namespace {

using test::HwmonFolder;

constexpr const char* kPlace = "0000:03:00.0";

DeviceInfo gpu_at(const std::string& pci) {
    DeviceInfo info;
    info.name = "vulkan:gpu#0";
    info.backend = "vulkan";
    info.pci = pci;
    return info;
}

/// One reading of the GPU at kPlace.
SensorReading reading_of(const HwmonFolder& folder) {
    const auto sensors = open_hwmon(folder.path());
    const auto number = sensors->find(gpu_at(kPlace));
    REQUIRE(number);
    return sensors->read(*number);
}

}  // namespace

TEST_CASE("a CPU's temperature is that of its hottest package") {
    const HwmonFolder folder;
    CHECK_FALSE(cpu_temperature(folder.path()));
    folder.chip("hwmon0", "nvme", {{"temp1_input", "99000"}, {"temp1_label", "Composite"}});
    folder.chip("hwmon1", "coretemp",
                {{"temp1_label", "Package id 0"},
                 {"temp1_input", "61000"},
                 {"temp2_label", "Core 0"},
                 {"temp2_input", "90000"}});
    folder.chip("hwmon2", "coretemp", {{"temp1_label", "Package id 1"}, {"temp1_input", "72500"}});
    CHECK(cpu_temperature(folder.path()) == 72.5);
    folder.set("hwmon1/temp1_input", "80000");
    CHECK(cpu_temperature(folder.path()) == 80.0);
}

TEST_CASE("each driver's temperature of a CPU") {
    const HwmonFolder folder;
    SECTION("AMD: the die's where the driver knows it, not what fans are told, nor a part of the die") {
        folder.chip("hwmon0", "k10temp",
                    {{"temp1_label", "Tctl"},
                     {"temp1_input", "92000"},
                     {"temp2_label", "Tdie"},
                     {"temp2_input", "65000"},
                     {"temp3_label", "Tccd1"},
                     {"temp3_input", "97000"}});
        CHECK(cpu_temperature(folder.path()) == 65.0);
    }
    SECTION("AMD: otherwise as it is told") {
        folder.chip(
            "hwmon0", "k10temp",
            {{"temp1_label", "Tctl"}, {"temp1_input", "65000"}, {"temp3_label", "Tccd1"}, {"temp3_input", "97000"}});
        CHECK(cpu_temperature(folder.path()) == 65.0);
    }
    SECTION("AMD: old drivers label nothing") {
        folder.chip("hwmon0", "k10temp", {{"temp1_input", "45125"}});
        CHECK(cpu_temperature(folder.path()) == 45.125);
    }
    SECTION("zenpower") {
        folder.chip(
            "hwmon0", "zenpower",
            {{"temp1_label", "Tdie"}, {"temp1_input", "51000"}, {"temp2_label", "Tctl"}, {"temp2_input", "61000"}});
        CHECK(cpu_temperature(folder.path()) == 51.0);
    }
    SECTION("Intel: old CPUs have no sensor of the package, but of cores") {
        folder.chip("hwmon0", "coretemp",
                    {{"temp2_label", "Core 0"},
                     {"temp2_input", "50000"},
                     {"temp27_label", "Core 25"},
                     {"temp27_input", "58000"}});
        CHECK(cpu_temperature(folder.path()) == 58.0);
    }
    SECTION("ARM64") {
        folder.chip("hwmon0", "cpu_thermal", {{"temp1_input", "-1500"}});
        CHECK(cpu_temperature(folder.path()) == -1.5);
    }
}

TEST_CASE("a CPU's temperature that cannot be read is none") {
    CHECK_FALSE(cpu_temperature("/nonexistent"));
    const HwmonFolder folder;
    folder.chip("hwmon1", "coretemp", {{"temp1_label", "Package id 0"}, {"temp1_input", "61000"}});
    folder.chip("hwmon2", "coretemp", {{"temp1_label", "Package id 1"}, {"temp1_input", "55000"}});
    for (const char* nothing : {"", "unknown", "61000 mC", "99999999999999999999"}) {
        folder.set("hwmon2/temp1_input", nothing);
        CHECK_FALSE(cpu_temperature(folder.path()));  // it may be the hottest
    }
    folder.remove("hwmon2/temp1_input");
    CHECK_FALSE(cpu_temperature(folder.path()));
    folder.remove("hwmon2");  // the package is switched off
    CHECK(cpu_temperature(folder.path()) == 61.0);
    folder.remove("hwmon1");
    CHECK_FALSE(cpu_temperature(folder.path()));
    folder.chip("hwmon7", "coretemp", {{"temp1_label", "Package id 0"}, {"temp1_input", "62000"}});  // and on again
    CHECK(cpu_temperature(folder.path()) == 62.0);
}

TEST_CASE("an AMD GPU") {
    const HwmonFolder folder;
    folder.chip("hwmon2", "amdgpu", {{"temp1_label", "edge"}, {"temp1_input", "1000"}}, "0000:04:00.0");
    folder.chip("hwmon3", "amdgpu",
                {{"temp1_label", "edge"},
                 {"temp1_input", "61000"},
                 {"temp2_label", "junction"},
                 {"temp2_input", "75000"},
                 {"temp3_label", "mem"},
                 {"temp3_input", "80000"},
                 {"power1_average", "203000000"},
                 {"power1_input", "1"},
                 {"power1_cap", "220000000"},
                 {"pwm1", "102"},
                 {"freq1_label", "sclk"},
                 {"freq1_input", "2401000000"},
                 {"freq2_label", "mclk"},
                 {"freq2_input", "1000000000"}},
                kPlace);
    const SensorReading all = reading_of(folder);
    CHECK(all.temperature_c == 61.0);
    CHECK(all.power_w == 203.0);
    CHECK(all.power_limit_w == 220.0);
    CHECK_FALSE(all.energy_j);
    CHECK(all.core_clock_mhz == 2401U);
    CHECK(all.memory_clock_mhz == 1000U);
    CHECK(all.fan_percent == 40U);
    folder.remove("hwmon3/power1_average");
    folder.set("hwmon3/power1_input", "95500000");
    folder.remove("hwmon3/temp1_label");
    folder.remove("hwmon3/temp1_input");
    for (const char* file : {"power1_cap", "pwm1", "freq2_label"}) folder.remove("hwmon3/" + std::string(file));
    const SensorReading fewer = reading_of(folder);
    CHECK(fewer.temperature_c == 75.0);
    CHECK(fewer.power_w == 95.5);
    CHECK_FALSE((fewer.power_limit_w || fewer.fan_percent || fewer.memory_clock_mhz));
}

TEST_CASE("Intel GPUs") {
    const HwmonFolder folder;
    SECTION("i915, whose parts have chips of their own") {
        folder.chip("hwmon4", "i915_gt0", {{"energy1_input", "1"}}, kPlace);
        folder.chip("hwmon5", "i915",
                    {{"temp1_input", "47000"},
                     {"energy1_input", "123456789"},
                     {"power1_max", "190000000"},
                     {"fan1_input", "900"}},
                    kPlace);
        const SensorReading reading = reading_of(folder);
        CHECK(reading.temperature_c == 47.0);
        CHECK(reading.energy_j.value() == Approx(123.456789));
        CHECK(reading.power_limit_w == 190.0);
        CHECK_FALSE((reading.power_w || reading.fan_percent || reading.core_clock_mhz));  // no share of a highest speed
    }
    SECTION("xe") {
        folder.chip("hwmon4", "xe",
                    {{"temp2_label", "pkg"},
                     {"temp2_input", "52000"},
                     {"temp3_label", "vram"},
                     {"temp3_input", "70000"},
                     {"energy1_label", "card"},
                     {"energy1_input", "90000000"},
                     {"energy2_label", "pkg"},
                     {"energy2_input", "70000000"},
                     {"power1_max", "0"},
                     {"power2_max", "120000000"},
                     {"power1_cap", "1"}},
                    kPlace);
        const SensorReading reading = reading_of(folder);
        CHECK(reading.temperature_c == 52.0);
        CHECK(reading.energy_j.value() == Approx(90));
        CHECK(reading.power_limit_w == 120.0);  // 0: there is none
        folder.remove("hwmon4/energy1_label");
        CHECK(reading_of(folder).energy_j.value() == Approx(70));
    }
}

TEST_CASE("a GPU is found by its PCI address, and may go away") {
    const HwmonFolder folder;
    folder.chip("hwmon3", "amdgpu", {{"temp1_label", "edge"}, {"temp1_input", "61000"}}, kPlace);
    folder.chip("hwmon4", "nvme", {{"temp1_input", "30000"}}, "0000:05:00.0");
    const auto sensors = open_hwmon(folder.path());
    for (const char* other : {"", "0000:04:00.0", "0000:05:00.0"}) CHECK_FALSE(sensors->find(gpu_at(other)));
    const auto number = sensors->find(gpu_at(kPlace));
    REQUIRE(number);
    folder.remove("hwmon3");
    folder.chip("hwmon3", "nvme", {{"temp1_input", "30000"}}, "0000:05:00.0");
    CHECK_FALSE(sensors->read(*number).temperature_c);
    folder.chip("hwmon9", "amdgpu", {{"temp1_label", "edge"}, {"temp1_input", "44000"}}, kPlace);
    CHECK(sensors->read(*number).temperature_c == 44.0);
    CHECK_FALSE(open_hwmon("/nonexistent")->find(gpu_at(kPlace)));
}

TEST_CASE("gpuminer looks where Linux lists its chips") {
    CHECK(std::string(ProgramSetup().hwmon) == "/sys/class/hwmon");
    CHECK(SensorOptions().hwmon == "/sys/class/hwmon");
}
