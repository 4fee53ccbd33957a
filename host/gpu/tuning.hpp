// Choice of the fastest kernel variant: measured when a device is first seen, remembered in the cache.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "host/gpu/engine.hpp"

namespace gpuminer::gpu {

struct TunedVariant {
    KernelVariant variant;
    double rate = 0;  ///< hashes per second when it was measured; 0: it was not

    friend bool operator==(const TunedVariant&, const TunedVariant&) = default;
};

/// For one header, and for several versions of one.
using TunedVariants = std::array<TunedVariant, 2>;
inline constexpr std::array kFixedAndRolled = {false, true};  ///< `rolled`, as an index of TunedVariants

struct Tuning {
    TunedVariants best = {};
    std::size_t tried = 0;  ///< pairs of variants, the first of each form and so on, that were looked at
    bool complete = false;  ///< no more are going to be

    friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// What earlier starts found for this device, its driver and this build of gpuminer.
[[nodiscard]] std::optional<Tuning> remembered_tuning(const DeviceInfo& info);
void remember(const DeviceInfo& info, const Tuning& tuning);

/// What tune() asks of its surroundings.
struct TuningHelp {
    /// What is wrong with a pair of variants (fixed, rolled); nothing: they may be timed.
    std::function<std::optional<std::string>(const KernelVariant& fixed, const KernelVariant& rolled)> self_test;
    /// Called after each pair: a program that ends before all are tried goes on from there when it is started again.
    std::function<void(const Tuning&)> keep;
};

/// Goes on with `tuning`: tries the engine's further variants, as many as `seconds` allow, at least until one works.
/// Throws DeviceError where none does.
[[nodiscard]] Tuning tune(Engine& engine, Tuning tuning, double seconds, const TuningHelp& help);

}  // namespace gpuminer::gpu
