// Which setup is fastest here: measured when a device is first seen, remembered in the cache.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "host/gpu/engine.hpp"

namespace gpuminer::gpu {

struct Choice {
    Setup setup;
    double rate = 0;  ///< hashes per second when it was measured; 0: it was not

    friend bool operator==(const Choice&, const Choice&) = default;
};

/// For one header, and for several versions of one.
using Choices = std::array<Choice, 2>;
inline constexpr std::array kForms = {false, true};  ///< `rolled`, as an index of Choices

struct Tuning {
    Choices best = {};
    std::size_t tried = 0;  ///< pairs of setups, the first of each form and so on, that were looked at
    bool complete = false;  ///< no more are going to be

    friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// What earlier starts found for this device, its driver and this build of gpuminer.
[[nodiscard]] std::optional<Tuning> remembered_tuning(const DeviceInfo& info);
void remember(const DeviceInfo& info, const Tuning& tuning);

/// What tune() asks of its surroundings.
struct TuningHelp {
    /// What is wrong with a pair of setups (fixed, rolled); nothing: they may be timed.
    std::function<std::optional<std::string>(const Setup& fixed, const Setup& rolled)> self_test;
    /// Called after each pair: a program that ends before all are tried goes on from there when it is started again.
    std::function<void(const Tuning&)> keep;
};

/// Goes on with `tuning`: tries the engine's further setups, as many as `seconds` allow, at least until one works.
/// Throws DeviceError where none does.
[[nodiscard]] Tuning tune(Engine& engine, Tuning tuning, double seconds, const TuningHelp& help);

}  // namespace gpuminer::gpu
