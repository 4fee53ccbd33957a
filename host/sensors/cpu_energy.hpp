// The energy counters of CPU packages (RAPL, Intel's and AMD's alike), as Linux offers them under
// /sys/class/powercap (https://docs.kernel.org/power/powercap/powercap.html). Windows offers none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpuminer {

/// Where Linux offers the counters.
inline constexpr const char* kPowercapFolder = "/sys/class/powercap";

/// The energy that all packages together use from the construction on. sample() has to be called more often than the
/// counters wrap around, which takes minutes.
class CpuEnergy {
public:
    /// `folder`: laid out as kPowercapFolder.
    explicit CpuEnergy(const std::filesystem::path& folder);

    void sample();
    /// Joules up to the latest sample. Empty where a package cannot be read, or its counter did not move.
    [[nodiscard]] std::optional<double> joules() const;
    /// Why a package cannot be read, in one clause; empty: all can.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    struct Package {
        std::filesystem::path file;
        std::uint64_t range = 0;  ///< microjoules; there the counter wraps around to 0
        std::uint64_t last = 0;   ///< microjoules
    };

    [[nodiscard]] std::optional<std::uint64_t> read_number(const std::filesystem::path& file);

    std::vector<Package> packages_;
    std::uint64_t used_ = 0;  ///< microjoules
    std::string problem_;
};

}  // namespace gpuminer
