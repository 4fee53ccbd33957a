#include "cuda/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gpuminer::cuda {
namespace {

/// The highest generation of the same major version that is no newer than the GPU: its machine code runs there.
std::optional<unsigned> generation_for(const BuiltCode& built, unsigned capability) {
    std::optional<unsigned> best;
    for (const unsigned generation : built.generations) {
        if (generation / 10 == capability / 10 && generation <= capability)
            best = std::max(best.value_or(0), generation);
    }
    return best;
}

/// Within a major version of CUDA a driver runs what any of its compilers made.
bool driver_runs(int driver_version, int nvcc_version) { return driver_version / 1000 >= nvcc_version / 1000; }

std::string why_no_ptx(const BuiltCode& built, unsigned capability, int driver_version) {
    if (capability < kOldestGeneration) {
        return fmt::format(
            "its compute capability {}.{} is older than the code of this program, which begins with {}.{}",
            capability / 10, capability % 10, kOldestGeneration / 10, kOldestGeneration % 10);
    }
    if (driver_version < kOldestDriver) {
        return fmt::format(
            "the NVIDIA driver is too old: it offers CUDA {}, but this program needs {}; install driver {}",
            version_text(driver_version), version_text(kOldestDriver), driver_for(kOldestDriver));
    }
    return built.ptx ? "" : "this build has no PTX; build it where clang is";
}

std::string why_no_machine_code(const BuiltCode& built, unsigned capability, int driver_version) {
    if (built.generations.empty()) return "this build has no machine code for GPUs; build it where nvcc is";
    if (!generation_for(built, capability)) {
        return fmt::format(
            "this build has no machine code for compute capability {}.{}; build it with "
            "GPUMINER_CUDA_ARCHITECTURES={}",
            capability / 10, capability % 10, capability);
    }
    if (driver_runs(driver_version, built.nvcc_version)) return "";
    return fmt::format("machine code needs the NVIDIA driver {}, but this one offers CUDA {}",
                       driver_for(built.nvcc_version), version_text(driver_version));
}

}  // namespace

CodeChoice choose_code(const BuiltCode& built, unsigned capability, int driver_version, std::string_view wanted) {
    const std::string no_machine_code = why_no_machine_code(built, capability, driver_version);
    if (wanted != "ptx" && no_machine_code.empty())
        return {CodeKind::kMachine, fmt::format("machine code for sm_{}", *generation_for(built, capability))};
    const std::string no_ptx = why_no_ptx(built, capability, driver_version);
    if (wanted != "machine" && no_ptx.empty()) {
        // Worth a word only where another driver would change it.
        const bool driver = wanted == "auto" && generation_for(built, capability);
        return {CodeKind::kPtx,
                "PTX, compiled by the driver" + (driver ? fmt::format(" ({})", no_machine_code) : std::string())};
    }
    if (wanted == "machine") return {std::nullopt, no_machine_code};
    // Without PTX, what keeps the machine code from running says more.
    const bool machine_only = wanted == "auto" && !built.ptx && !built.generations.empty();
    return {std::nullopt, machine_only ? no_machine_code : no_ptx};
}

std::string driver_for(int cuda_version) {
    // CUDA Toolkit Release Notes, table "CUDA Toolkit and Corresponding Driver Versions".
    constexpr std::array<std::pair<int, int>, 6> known = {
        {{10010, 418}, {10020, 440}, {11000, 450}, {12000, 525}, {13000, 580}, {14000, 0}}};
    int driver = 0;
    for (const auto& [version, first] : known) {
        if (version <= cuda_version) driver = first;
    }
    return driver == 0 ? "of the newest version" : fmt::format("{} or newer", driver);
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string kernel_name(gpu::Mix mix, bool rolled) {
    return fmt::format("{}_{}", rolled ? "rolled" : "fixed", static_cast<int>(mix));
}

}  // namespace gpuminer::cuda
