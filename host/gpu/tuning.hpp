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

/// What an earlier start found for this device, its driver and this version of gpuminer.
[[nodiscard]] std::optional<Choices> remembered_choices(const DeviceInfo& info);
void remember(const DeviceInfo& info, const Choices& choices);

/// Tries the engine's setups, as many as `seconds` allow, at least the first one that works. `self_test` says what is
/// wrong with a pair of setups (fixed, rolled), or nothing; only setups that pass are timed. Throws DeviceError where
/// none passes.
[[nodiscard]] Choices tune(
    Engine& engine, double seconds,
    const std::function<std::optional<std::string>(const Setup& fixed, const Setup& rolled)>& self_test);

}  // namespace gpuminer::gpu
