#include "mpi/rank_search.hpp"

#include <exception>
#include <iterator>
#include <utility>

#include "host/errors.hpp"

namespace gpuminer::mpi {

RankDevices::RankDevices(const std::function<std::unique_ptr<Fleet>()>& open) {
    try {
        fleet = open();
    } catch (const NoDeviceError& error) {
        no_device = error.what();
    }
}

RankSearch::RankSearch(const SearchRequest& request, std::uint32_t group_size, RankDevices& devices,
                       std::function<void(const DeviceInfo&, Search&)> joined)
    : source_(std::make_shared<RequestSource>(request, group_size)), devices_(devices), joined_(std::move(joined)) {
    if (!devices_.fleet) {
        const MutexLock lock(mutex_);
        ended_ = true;
        return;
    }
    search_.emplace(source_, *devices_.fleet);
    thread_ = std::thread([this] { run(); });
}

RankSearch::~RankSearch() { (void)stop(); }

void RankSearch::run() {
    SearchReport report;
    std::vector<Notice> notices;
    std::exception_ptr failure;
    try {
        report = search_->run([this](const DeviceInfo& info) {
            if (joined_) joined_(info, *search_);
            joined_one_ = true;
        });
    } catch (const NoDeviceError& error) {
        notices.push_back({Severity::kWarning, error.what()});
    } catch (...) {
        failure = std::current_exception();
    }
    const MutexLock lock(mutex_);
    ended_ = true;
    failure_ = failure;
    report_ = std::move(report);
    notices_ = std::move(notices);
}

bool RankSearch::without_devices() const {
    const MutexLock lock(mutex_);
    return ended_ && !source_->finished();  // its goal may be reached
}

std::vector<HitKey> RankSearch::new_hits() {
    std::vector<HitKey> hits = source_->hits_from(hits_told_);
    hits_told_ += hits.size();
    return hits;
}

std::uint64_t RankSearch::hashes() const { return search_ ? search_->progress().hashes_done : 0; }

std::vector<Notice> RankSearch::take_notices() {
    std::vector<Notice> notices;
    if (search_) notices = search_->take_notices();
    std::ranges::move(devices_.notices.take(), std::back_inserter(notices));
    const MutexLock lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    std::ranges::move(std::exchange(notices_, {}), std::back_inserter(notices));
    return notices;
}

SearchReport RankSearch::stop() {
    if (search_) search_->stop(Ending::kInterrupted);
    if (thread_.joinable()) thread_.join();
    const MutexLock lock(mutex_);
    return report_;
}

}  // namespace gpuminer::mpi
