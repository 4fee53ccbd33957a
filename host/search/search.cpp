#include "host/search/search.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "host/search/fleet.hpp"
#include "host/search/fleet_state.hpp"
#include "host/search/request_source.hpp"
#include "host/search/worker.hpp"
#include "host/threads.hpp"

namespace gpuminer {

Search::Search(std::shared_ptr<WorkSource> source, Fleet& fleet)
    : context_(std::make_shared<SearchContext>(std::move(source))), fleet_(fleet.state()) {}

Search::Search(const SearchRequest& request, Fleet& fleet) : Search(std::make_shared<RequestSource>(request), fleet) {}

SearchReport Search::run(const std::function<void(const DeviceInfo&)>& joined, const std::function<void()>& complete) {
    const Clock::time_point start = Clock::now();
    {
        const MutexLock lock(mutex_);
        started_ = start;
    }
    std::vector<DeviceReport> devices = fleet_->run(context_, joined, complete);
    {
        const MutexLock lock(mutex_);
        duration_ = seconds_since(start);
    }
    return report(std::move(devices));
}

SearchReport Search::report(std::vector<DeviceReport> devices) {
    WorkResult work = context_->source->result();
    SearchReport result;
    result.hits = std::move(work.hits);
    result.truncated = work.truncated;
    result.hashes_before = context_->source->hashes_before();
    result.best = context_->best.get();
    for (const DeviceReport& device : devices) {
        result.hashes += device.hashes;
        result.rejected_candidates += device.wrong_candidates;
    }
    result.devices = std::move(devices);
    const MutexLock lock(mutex_);
    result.ending = work.finished ? Ending::kFinished : stop_reason_.value_or(Ending::kFailed);
    result.seconds = *duration_;
    return result;
}

void Search::stop(Ending why) {
    {
        const MutexLock lock(mutex_);
        if (!stop_reason_) stop_reason_ = why;
    }
    context_->partition.stop();
    fleet_->wake();
}

bool Search::stopped() const {
    const MutexLock lock(mutex_);
    return stop_reason_.has_value();
}

void Search::set_paused(bool paused, PauseReason reason) {
    const auto bit = static_cast<unsigned>(reason);
    const MutexLock lock(mutex_);
    paused_ = paused ? paused_ | bit : paused_ & ~bit;
    context_->partition.set_hold(Hold::kPaused, paused_ != 0);
}

bool Search::allow(double hashes, double most) { return context_->budget.grant(hashes, most); }

void Search::pause_device(const std::string& device_name, PauseReason reason, bool paused) {
    fleet_->pause_device(device_name, reason, paused);
}

std::vector<DeviceStatus> Search::devices() const { return fleet_->devices(); }

SearchProgress Search::progress() const {
    const std::optional<std::uint64_t> total = context_->source->total_hashes();
    SearchProgress result;
    result.endless = !total;
    result.hashes_total = total.value_or(std::numeric_limits<std::uint64_t>::max());
    result.hashes_before = context_->source->hashes_before();
    // What a distrusted device searched is hashed twice; the share done stays within the whole.
    result.hashes_done =
        std::min(context_->hashes_done.load(std::memory_order_relaxed), result.hashes_total - result.hashes_before);
    result.devices_paused = fleet_->every_device_paused();
    result.waiting = fleet_->waiting_for_devices();
    result.best = context_->best.get();
    const MutexLock lock(mutex_);
    if (started_) result.seconds = duration_.value_or(seconds_since(*started_));
    result.paused = paused_ != 0;
    result.on_battery = (paused_ & static_cast<unsigned>(PauseReason::kBattery)) != 0;
    return result;
}

std::vector<Notice> Search::take_notices() {
    std::vector<Notice> notices = fleet_->take_notices();
    std::ranges::move(context_->notices.take(), std::back_inserter(notices));
    return notices;
}

}  // namespace gpuminer
