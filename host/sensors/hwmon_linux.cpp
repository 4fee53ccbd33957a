#include "host/sensors/hwmon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "host/sensors/sysfs.hpp"

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

using Names = std::span<const std::string_view>;

constexpr unsigned kMostInputs = 32;  // of one kind: old CPUs have one for each core
constexpr double kMillidegree = 1e-3, kMicro = 1e-6;

/// What hwmon calls its drivers.
constexpr std::string_view kCpuDrivers[] = {"coretemp", "k10temp", "zenpower", "cpu_thermal"};
constexpr std::string_view kGpuDrivers[] = {"amdgpu", "i915", "xe"};  // not "i915_gt0", which is a part of a GPU

/// Of several temperatures that a CPU package has, in this order. AMD's Tctl, made for fans, is up to 27 °C above the
/// die's (Tdie) on some models. The driver knows which, and has a Tdie there; no such offset is guessed here.
constexpr std::string_view kCpuLabels[] = {"Package id", "Tdie", "Tctl"};
/// The same of a GPU: amdgpu's (without an edge: MI300 and the like), then xe's.
constexpr std::string_view kGpuLabels[] = {"edge", "junction", "pkg"};
constexpr std::string_view kEnergyLabels[] = {"card", "pkg"};  // xe's; the first includes the second
constexpr std::string_view kCoreClock[] = {"sclk"}, kMemoryClock[] = {"mclk"};

/// One chip: a folder such as hwmon3.
class Chip {
public:
    explicit Chip(fs::path folder) : folder_(std::move(folder)) {}

    [[nodiscard]] std::string driver() const { return sysfs_line(folder_ / "name").value_or(""); }
    /// The device's name on its bus: "0000:03:00.0".
    [[nodiscard]] std::string device() const {
        std::error_code error;
        return fs::read_symlink(folder_ / "device", error).filename().string();
    }
    [[nodiscard]] std::optional<double> number(const std::string& file) const {
        const std::optional<std::int64_t> value = sysfs_number(folder_ / file);
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
    }

    /// Of "temp1_input", "temp2_input" and so on for the kind "temp": the one whose label begins with the first of
    /// these words that leads to a number.
    [[nodiscard]] std::optional<double> labelled(std::string_view kind, Names labels) const {
        std::optional<double> best;
        std::size_t place = labels.size();
        for (unsigned i = 1; i <= kMostInputs && place > 0; ++i) {
            const auto label = sysfs_line(folder_ / fmt::format("{}{}_label", kind, i));
            if (!label) continue;
            const auto found = std::ranges::find_if(labels, [&](auto word) { return label->starts_with(word); });
            const auto its_place = static_cast<std::size_t>(found - labels.begin());
            const auto value = its_place < place ? number(fmt::format("{}{}_input", kind, i)) : std::nullopt;
            if (!value) continue;
            best = value;
            place = its_place;
        }
        return best;
    }
    [[nodiscard]] std::optional<double> highest(std::string_view kind) const {
        std::optional<double> highest;
        for (unsigned i = 1; i <= kMostInputs; ++i) {
            const auto value = number(fmt::format("{}{}_input", kind, i));
            if (value) highest = std::max(highest.value_or(*value), *value);
        }
        return highest;
    }
    [[nodiscard]] std::optional<double> temperature_c(Names labels) const {
        auto value = labelled("temp", labels);
        if (!value) value = highest("temp");  // i915, cpu_thermal and old drivers label none, the oldest coretemp cores
        return value ? std::optional(*value * kMillidegree) : std::nullopt;
    }

private:
    fs::path folder_;
};

std::vector<Chip> chips_of(const fs::path& folder, Names drivers) {
    std::vector<Chip> chips;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        Chip chip(entry->path());
        if (std::ranges::find(drivers, chip.driver()) != drivers.end()) chips.push_back(std::move(chip));
    }
    return chips;
}

std::optional<double> power_limit_w(const Chip& chip) {
    // Intel's sustained limit of the card or its package, and AMD's, which to Intel is that of a burst. 0: none is set.
    for (const char* file : {"power1_max", "power2_max", "power1_cap"}) {
        const auto limit = chip.number(file);
        if (limit && *limit > 0) return *limit * kMicro;
    }
    return std::nullopt;
}

std::optional<unsigned> whole(std::optional<double> value, double unit) {
    return value && *value >= 0 ? std::optional(static_cast<unsigned>(std::lround(*value * unit))) : std::nullopt;
}

SensorReading reading_of(const Chip& chip) {
    constexpr double kPercentOfPwm = 100.0 / 255;
    const auto scaled = [](std::optional<double> value) {
        return value ? std::optional(*value * kMicro) : std::nullopt;
    };
    SensorReading reading;
    reading.temperature_c = chip.temperature_c(kGpuLabels);
    auto power = chip.number("power1_average");
    if (!power) power = chip.number("power1_input");  // newer AMD GPUs have this one alone; Intel's have neither
    reading.power_w = scaled(power);
    auto energy = chip.labelled("energy", kEnergyLabels);
    if (!energy) energy = chip.number("energy1_input");
    reading.energy_j = scaled(energy);
    reading.power_limit_w = power_limit_w(chip);
    reading.core_clock_mhz = whole(chip.labelled("freq", kCoreClock), kMicro);
    reading.memory_clock_mhz = whole(chip.labelled("freq", kMemoryClock), kMicro);
    reading.fan_percent = whole(chip.number("pwm1"), kPercentOfPwm);
    return reading;
}

class Hwmon : public GpuSensors {
public:
    explicit Hwmon(fs::path folder) : folder_(std::move(folder)) {}

    std::optional<std::size_t> find(const DeviceInfo& info) override {
        if (info.pci.empty() || !chip_at(info.pci)) return std::nullopt;
        addresses_.push_back(info.pci);
        return addresses_.size() - 1;
    }
    SensorReading read(std::size_t number) override {
        const std::optional<Chip> chip = chip_at(addresses_.at(number));
        return chip ? reading_of(*chip) : SensorReading{};
    }

private:
    [[nodiscard]] std::optional<Chip> chip_at(const std::string& address) const {
        const std::vector<Chip> chips = chips_of(folder_, kGpuDrivers);
        const auto found = std::ranges::find(chips, address, &Chip::device);
        return found != chips.end() ? std::optional(*found) : std::nullopt;
    }

    const fs::path folder_;
    std::vector<std::string> addresses_;
};

}  // namespace

std::optional<double> cpu_temperature(const fs::path& folder) {
    std::optional<double> hottest;
    for (const Chip& chip : chips_of(folder, kCpuDrivers)) {
        const auto temperature = chip.temperature_c(kCpuLabels);
        if (!temperature) return std::nullopt;
        hottest = std::max(hottest.value_or(*temperature), *temperature);
    }
    return hottest;
}

std::unique_ptr<GpuSensors> open_hwmon(const fs::path& folder) { return std::make_unique<Hwmon>(folder); }

}  // namespace gpuminer
