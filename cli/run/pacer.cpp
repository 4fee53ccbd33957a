#include "cli/run/pacer.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "host/block/algorithm.hpp"
#include "host/text/bytes.hpp"
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

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPaceTick{10};
constexpr milliseconds kPaceTickWithoutLimit{125};
constexpr milliseconds kWarmUp{1500}, kLongestWarmUp{15'000};
constexpr double kMostSaved = 0.1;  // seconds' worth of hashes that a pause may save up, and of a batch

/// Of the algorithm's embedded block, with other previous hashes. Nothing is to be found in it.
class WarmUpJob : public MiningJob {
public:
    explicit WarmUpJob(const Algorithm& algorithm)
        : header_(parse_header_hex(algorithm.embedded_blocks().front().header_hex, algorithm).header) {}

    [[nodiscard]] BlockHeader header(std::uint64_t index) const override {
        BlockHeader header = header_;
        Digest previous{};
        store_le(std::span(previous).first(sizeof(index)), index);
        header.set_previous_hash(previous);
        return header;
    }
    [[nodiscard]] Hash256 target() const override { return {}; }
    [[nodiscard]] std::uint32_t version_mask() const override { return 0; }

private:
    const BlockHeader header_;
};

}  // namespace

Pacer::Pacer(MiningSearch& search, const Algorithm& algorithm, std::optional<double> limit)
    : search_(search), limit_(limit), warming_up_(!limit), working_(warming_up_) {
    (void)allow({});  // nothing, for now
    if (warming_up_) search_.set_job(std::make_shared<WarmUpJob>(algorithm));
    thread_ = threads::JoiningThread([this](const std::stop_token& stop) { run(stop); });
}

double Pacer::hash_rate() const {
    const MutexLock lock(mutex_);
    return meter_.rate();
}

void Pacer::set_job(std::shared_ptr<const MiningJob> job) {
    const MutexLock lock(mutex_);
    warming_up_ = warming_up_ && !job;  // as long as nothing has come
    if (!warming_up_) change_job(std::move(job));
}

void Pacer::change_job(std::shared_ptr<const MiningJob> job) {
    const bool working = job != nullptr;
    search_.set_job(std::move(job));
    if (working == working_) return;
    working_ = working;
    meter_.restart(Clock::now(), search_.progress().hashes_done);
}

void Pacer::run(const std::stop_token& stop) {
    const MutexLock lock(mutex_);
    auto before = Clock::now();
    while (!stop.stop_requested()) {
        wake_.wait_for(mutex_, stop, limit_ ? kPaceTick : kPaceTickWithoutLimit, [] { return false; });
        const auto now = Clock::now();
        const auto warm_up = meter_.rate() > 0 ? kWarmUp : kLongestWarmUp;
        if (warming_up_ && now - started_ >= warm_up) {
            warming_up_ = false;
            change_job(nullptr);
        }
        const bool held_back = allow(now - std::exchange(before, now));
        const SearchProgress progress = search_.progress();
        if (working_ && !progress.paused) {
            meter_.observe(now, progress.hashes_done, held_back);
        } else {
            meter_.restart(now, progress.hashes_done);
        }
    }
}

/// True: the limit held the devices back.
bool Pacer::allow(std::chrono::duration<double> time) {
    return limit_ && search_.allow(*limit_ * time.count(), *limit_ * kMostSaved);
}

}  // namespace gpuminer
