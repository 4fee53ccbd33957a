#include "host/sensors/cpu_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "host/sensors/sysfs.hpp"

namespace gpuminer {
namespace {

namespace fs = std::filesystem;

/// "intel-rapl:0", on AMD too; not its parts ("intel-rapl:0:1"), nor a second counter of the same energy
/// ("intel-rapl-mmio:0").
bool is_top_level(std::string_view name) {
    constexpr std::string_view kPrefix = "intel-rapl:";
    return name.starts_with(kPrefix) && name.find_first_not_of("0123456789", kPrefix.size()) == std::string_view::npos;
}

}  // namespace

CpuEnergy::CpuEnergy(const fs::path& folder) {
    if (folder.empty()) {
        problem_ = "another process counts it";
        return;
    }
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (!is_top_level(entry->path().filename().string())) continue;
        // "package-0" or "package-0-die-1", but also "psys", which is the whole machine.
        if (!sysfs_line(entry->path() / "name").value_or("").starts_with("package-")) continue;
        const auto range = read_number(entry->path() / "max_energy_range_uj");
        const fs::path file = entry->path() / "energy_uj";
        if (const auto first = range ? read_number(file) : std::nullopt) packages_.push_back({file, *range, *first});
    }
    if (packages_.empty() && problem_.empty()) {
        problem_ = fmt::format("{} lists no CPU package that counts its energy", folder.string());
    }
}

void CpuEnergy::sample() {
    for (Package& package : packages_) {
        const auto now = problem_.empty() ? read_number(package.file) : std::nullopt;
        if (!now) return;
        const bool wrapped = *now < package.last;
        const std::uint64_t used =
            wrapped ? *now + std::max(package.range, package.last) - package.last : *now - package.last;
        // So much within one sample is no wrap-around: the machine was suspended, and its counters began at 0.
        if (wrapped && used > package.range / 2) {
            problem_ = package.file.string() + " was reset while the search ran";
            return;
        }
        used_ += used;
        package.last = *now;
    }
}

std::optional<double> CpuEnergy::joules() const {
    constexpr double kMicro = 1e-6;
    if (!problem_.empty() || used_ == 0) return std::nullopt;
    return static_cast<double>(used_) * kMicro;
}

std::optional<std::uint64_t> CpuEnergy::read_number(const fs::path& file) {
    const std::optional<std::int64_t> value = sysfs_number(file);
    if (value && *value >= 0) return static_cast<std::uint64_t>(*value);
    const std::string reason = value || errno == 0 ? "no number" : std::generic_category().message(errno);
    problem_ = fmt::format("{}: {}", file.string(), reason);
    return std::nullopt;
}

}  // namespace gpuminer
