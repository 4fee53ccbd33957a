// The hash rate of the devices, from counts of hashes over time; or the limit, where the limit holds them back.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace gpuminer {

class RateMeter {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// `limit`: hashes per second.
    RateMeter(std::optional<double> limit, Time now) : limit_(limit), window_start_(now) {}

    /// There is work from now on; the time before says nothing about the devices.
    void restart(Time now, std::uint64_t hashes);
    /// `hashes`: in all. `held_back`: the devices did all that the limit allows, and had to wait.
    void observe(Time now, std::uint64_t hashes, bool held_back);
    /// Hashes per second over the last seconds in which there was work; 0: not known yet, because the devices are still
    /// starting. With a limit: the limit, unless the devices have not reached it for a while.
    [[nodiscard]] double rate() const;

private:
    const std::optional<double> limit_;
    double rate_ = 0;    ///< of the devices alone; 0: not known
    double latest_ = 0;  ///< of the last window in which hashes were computed; 0: there was none
    int measured_ = 0;   ///< windows that rate_ is made of
    bool settled_ = false;
    Time window_start_;  ///< of the measurement under way
    std::uint64_t window_hashes_ = 0;
    bool held_back_ = false;  ///< in the window
    int free_windows_ = 0;    ///< in a row, in which the limit held no device back
};

}  // namespace gpuminer
