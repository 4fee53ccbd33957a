#include "cli/rate_meter.hpp"

#include <algorithm>
#include <utility>

#include "host/block/format.hpp"

namespace gpuminer {
namespace {

constexpr std::chrono::milliseconds kWindow{250};  // of one measurement
constexpr double kMemory = 3;                      // seconds over which measurements are smoothed
/// Under a limit a slow second may have other reasons than slow devices: they are starting, or the machine is busy.
constexpr int kWindowsPassedOver = 4;

}  // namespace

double RateMeter::rate() const {
    if (!limit_) return rate_;
    return rate_ > 0 ? std::min(rate_, *limit_) : *limit_;
}

void RateMeter::restart(Time now, std::uint64_t hashes) {
    window_start_ = now;
    window_hashes_ = hashes;
    held_back_ = false;
    free_windows_ = 0;
}

void RateMeter::observe(Time now, std::uint64_t hashes, bool held_back) {
    held_back_ = held_back_ || held_back;
    if (now - window_start_ < kWindow) return;
    const double seconds = std::chrono::duration<double>(now - window_start_).count();
    const double rate = rate_of(static_cast<double>(hashes - window_hashes_), seconds);
    window_start_ = now;
    window_hashes_ = hashes;
    if (std::exchange(held_back_, false)) {
        free_windows_ = 0;
        rate_ = 0;
        return;
    }
    if (limit_ && free_windows_ < kWindowsPassedOver) {
        ++free_windows_;
        return;
    }
    // The first that is not nothing counts whole: devices may just be starting.
    rate_ = rate_ == 0 ? rate : rate_ + std::min(1.0, seconds / kMemory) * (rate - rate_);
}

}  // namespace gpuminer
