#include "host/search/search.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>

#include "host/search/fleet.hpp"
#include "host/search/worker.hpp"

namespace gpuminer {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const SearchRequest& validated(const SearchRequest& request) {
    if (request.start > request.end) {
        throw InputError("The first nonce has to be at or below the last one, but " + std::to_string(request.start) +
                         " is above " + std::to_string(request.end) + ".");
    }
    return request;
}

}  // namespace

struct Search::Impl {
    Impl(const SearchRequest& request, Fleet& search_fleet)
        : context(std::make_shared<SearchContext>(validated(request))), fleet(search_fleet) {}
    Impl(JobStream::FoundCallback found, Fleet& search_fleet)
        : context(std::make_shared<SearchContext>(std::move(found))), fleet(search_fleet) {}
    Impl(const SearchRequest& request, std::unique_ptr<Fleet> fleet_of_its_own)
        : context(std::make_shared<SearchContext>(validated(request))),
          own_fleet(std::move(fleet_of_its_own)),
          fleet(*own_fleet) {}

    void search(const std::function<void(const DeviceInfo&)>& joined);
    [[nodiscard]] Ending ending() const;
    [[nodiscard]] SearchReport report();

    const std::shared_ptr<SearchContext> context;
    const std::unique_ptr<Fleet> own_fleet;  ///< null: the fleet is somebody else's
    Fleet& fleet;
    std::vector<DeviceReport> devices;  ///< once the search has ended

    mutable std::mutex mutex;  // guards everything below
    std::optional<Ending> stop_reason;
    std::optional<Clock::time_point> started;
    std::optional<double> duration;  ///< seconds, once the search has ended
    bool paused = false;
};

void Search::Impl::search(const std::function<void(const DeviceInfo&)>& joined) {
    {
        const std::lock_guard lock(mutex);
        started = Clock::now();
    }
    devices = fleet.carry_out(context, joined);
    const std::lock_guard lock(mutex);
    duration = seconds_since(*started);
}

Ending Search::Impl::ending() const {
    const bool first_found = context->request.goal == Goal::kFirst && !context->hits.empty();
    if (first_found || context->partition.finished()) return Ending::kFinished;
    const std::lock_guard lock(mutex);
    return stop_reason.value_or(Ending::kFailed);
}

SearchReport Search::Impl::report() {
    SearchReport result;
    result.ending = ending();
    result.truncated = context->hits.truncate();
    for (const auto& [key, hash] : context->hits.entries()) {
        const std::uint32_t version = context->versions.version(key.version_index);
        const BlockHeader header = context->request.header.with_version(version).with_nonce(key.nonce);
        result.hits.push_back({version, key.nonce, hash, header});
    }
    for (const DeviceReport& device : devices) {
        result.hashes += device.hashes;
        result.rejected_candidates += device.wrong_candidates;
    }
    result.devices = std::move(devices);
    const std::lock_guard lock(mutex);
    result.seconds = *duration;
    return result;
}

Search::Search(const SearchRequest& request, Fleet& fleet) : impl_(std::make_unique<Impl>(request, fleet)) {}

Search::Search(std::function<void(const JobHit&)> found, Fleet& fleet)
    : impl_(std::make_unique<Impl>(std::move(found), fleet)) {
    impl_->context->partition.set_hold(Hold::kNoJob, true);
}

Search::Search(const SearchRequest& request, std::vector<std::unique_ptr<Device>> devices)
    : impl_(std::make_unique<Impl>(request, std::make_unique<Fleet>(std::move(devices)))) {}

Search::~Search() = default;

SearchReport Search::run(const std::function<void(const DeviceInfo&)>& joined) {
    impl_->search(joined);
    return impl_->report();
}

void Search::stop(Ending why) {
    {
        const std::lock_guard lock(impl_->mutex);
        if (!impl_->stop_reason) impl_->stop_reason = why;
    }
    impl_->context->partition.stop();
    impl_->fleet.wake();
}

void Search::set_paused(bool paused) {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->paused = paused;
    }
    impl_->context->partition.set_hold(Hold::kPaused, paused);
}

bool Search::allow(double hashes, double most) { return impl_->context->allowance.grant(hashes, most); }

void Search::set_job(std::shared_ptr<const MiningJob> job) {
    impl_->context->stream->set_job(std::move(job), impl_->context->partition);
}

void Search::pause_device(const std::string& device_name, bool paused) {
    impl_->fleet.pause_device(device_name, paused);
}

SearchProgress Search::progress() const {
    const SearchRequest& request = impl_->context->request;
    SearchProgress result;
    result.endless = impl_->context->stream != nullptr;
    const std::uint64_t nonces = std::uint64_t{request.end} - request.start + 1;
    if (result.endless || __builtin_mul_overflow(nonces, impl_->context->versions.size(), &result.hashes_total)) {
        result.hashes_total = std::numeric_limits<std::uint64_t>::max();
    }
    // What a distrusted device searched is hashed twice; the share done stays within the whole.
    result.hashes_done = std::min(impl_->context->hashes_done.load(std::memory_order_relaxed), result.hashes_total);
    result.waiting = impl_->fleet.waiting_for_devices();
    const std::lock_guard lock(impl_->mutex);
    if (impl_->started) result.seconds = impl_->duration ? *impl_->duration : seconds_since(*impl_->started);
    result.paused = impl_->paused;
    return result;
}

std::vector<Notice> Search::take_notices() {
    std::vector<Notice> notices = impl_->fleet.take_notices();
    std::ranges::move(impl_->context->notices.take(), std::back_inserter(notices));
    return notices;
}

}  // namespace gpuminer
