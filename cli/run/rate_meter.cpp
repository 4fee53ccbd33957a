#include "cli/run/rate_meter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/text/format.hpp"

namespace gpuminer {
namespace {

constexpr std::chrono::milliseconds kWindow{250};  // of one measurement
constexpr double kMemory = 3;                      // seconds over which measurements are smoothed
/// The rate has settled when two windows are alike, or after some that are not.
constexpr double kAlike = 0.15;
constexpr int kMostUnlike = 6;
/// Under a limit a slow second may have other reasons than slow devices: they are starting, or the machine is busy.
constexpr int kWindowsPassedOver = 4;

}  // namespace

double RateMeter::rate() const {
    if (!limit_) return settled_ ? rate_ : 0;
    return rate_ > 0 ? std::min(rate_, *limit_) : *limit_;
}

void RateMeter::restart(Time now, std::uint64_t hashes) {
    window_start_ = now;
    window_hashes_ = hashes;
    held_back_ = false;
    free_windows_ = 0;
    settled_ = rate_ > 0;  // whatever there is has to do
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
        rate_ = latest_ = 0;
        measured_ = 0;
        return;
    }
    if (limit_ && free_windows_ < kWindowsPassedOver) {
        ++free_windows_;
        return;
    }
    const double before = std::exchange(latest_, rate);
    if (before == 0 && rate_ == 0) return;  // the first with hashes: devices were starting in it
    ++measured_;
    rate_ += std::max(std::min(1.0, seconds / kMemory), 1.0 / measured_) * (rate - rate_);
    settled_ = settled_ || measured_ >= kMostUnlike || std::abs(rate - before) < kAlike * before;
}

}  // namespace gpuminer
