// The energy counters of CPU packages (RAPL, Intel's and AMD's alike), as Linux offers them under
// /sys/class/powercap (https://docs.kernel.org/power/powercap/powercap.html).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpuminer {

/// Where Linux keeps them. (The end-to-end tests link one that points to a folder of theirs.)
[[nodiscard]] std::filesystem::path powercap_folder();

/// What all packages together use from the construction on. To be sampled more often than the counters start anew,
/// which takes them minutes.
class CpuEnergy {
public:
    explicit CpuEnergy(const std::filesystem::path& folder);

    void sample();
    /// Joules up to the latest sample. Empty where a package cannot be read, or did not count.
    [[nodiscard]] std::optional<double> joules() const;
    /// Why there are no joules, in one clause; empty: every package could be read.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    struct Package {
        std::filesystem::path file;
        std::uint64_t range = 0;  ///< microjoules; the counter starts anew when it gets there
        std::uint64_t last = 0;   ///< microjoules
    };

    [[nodiscard]] std::optional<std::uint64_t> read_number(const std::filesystem::path& file);

    std::vector<Package> packages_;
    std::uint64_t used_ = 0;  ///< microjoules
    std::string problem_;
};

}  // namespace gpuminer
