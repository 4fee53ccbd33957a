#include "host/cli/pacer.hpp"

#include <algorithm>
#include <utility>

#include "host/format.hpp"

namespace gpuminer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{10};
constexpr milliseconds kWindow{250};  // of one measurement
constexpr double kMemory = 3;         // seconds over which measurements are smoothed
constexpr milliseconds kWarmUp{1500};
constexpr double kMostSaved = 0.1;  // seconds' worth of hashes that a pause may save up

/// Nothing is to be found in it.
class WarmUpJob : public MiningJob {
public:
    [[nodiscard]] BlockHeader header(std::uint64_t index) const override {
        BlockHeader header;
        for (unsigned i = 0; i < sizeof(index); ++i) header.bytes[4 + i] = static_cast<std::uint8_t>(index >> (8 * i));
        return header;
    }
    [[nodiscard]] Hash256 target() const override { return {}; }
    [[nodiscard]] std::uint32_t version_mask() const override { return 0; }
};

}  // namespace

Pacer::Pacer(Search& search, std::optional<double> limit)
    : search_(search), limit_(limit), warming_up_(!limit), working_(warming_up_) {
    if (warming_up_) search_.set_job(std::make_shared<WarmUpJob>());
    thread_ = std::thread([this] { run(); });
}

Pacer::~Pacer() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

double Pacer::hash_rate() const {
    const std::lock_guard lock(mutex_);
    if (!limit_) return rate_;
    return rate_ > 0 ? std::min(rate_, *limit_) : *limit_;
}

void Pacer::set_job(std::shared_ptr<const MiningJob> job) {
    const std::lock_guard lock(mutex_);
    warming_up_ = warming_up_ && !job;  // as long as nothing has come
    if (!warming_up_) change_job(std::move(job));
}

void Pacer::change_job(std::shared_ptr<const MiningJob> job) {
    const bool working = job != nullptr;
    search_.set_job(std::move(job));
    if (working == working_) return;
    working_ = working;
    window_start_ = Clock::now();
    window_hashes_ = search_.progress().hashes_done;
}

void Pacer::run() {
    std::unique_lock lock(mutex_);
    auto before = Clock::now();
    std::uint64_t hashes_before = 0;
    while (!ending_) {
        wake_.wait_for(lock, limit_ ? kTick : kWindow / 2);
        const auto now = Clock::now();
        if (warming_up_ && now - started_ >= kWarmUp) {
            warming_up_ = false;
            change_job(nullptr);
        }
        const std::uint64_t hashes = search_.progress().hashes_done;
        measure(now, hashes);
        if (limit_) hold_back(std::chrono::duration<double>(now - before).count(), hashes - hashes_before);
        before = now;
        hashes_before = hashes;
    }
}

void Pacer::measure(Clock::time_point now, std::uint64_t hashes) {
    if (!working_ || search_.progress().paused) {
        window_start_ = now;
        window_hashes_ = hashes;
        return;
    }
    const double seconds = std::chrono::duration<double>(now - window_start_).count();
    if (now - window_start_ < kWindow) return;
    const double rate = rate_of(static_cast<double>(hashes - window_hashes_), seconds);
    // The first that is not nothing counts whole: devices may just be starting.
    rate_ = rate_ == 0 ? rate : rate_ + std::min(1.0, seconds / kMemory) * (rate - rate_);
    window_start_ = now;
    window_hashes_ = hashes;
}

/// Time earns hashes, and hashing uses them up. Batches that had begun go on, so that the account may be overdrawn.
void Pacer::hold_back(double seconds, std::uint64_t new_hashes) {
    allowance_ = std::min(allowance_ + *limit_ * seconds, *limit_ * kMostSaved) - static_cast<double>(new_hashes);
    search_.set_held_back(allowance_ <= 0);
}

}  // namespace gpuminer
