#include "mpi/rank_worker.hpp"

#include <algorithm>
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

namespace {

/// Between two messages where nothing is urgent.
constexpr std::chrono::milliseconds kBetweenNews{100};

}  // namespace

RankWorker::RankWorker(RankSearch& search, const RankStart& start, unsigned ranks, Take take,
                       std::uint64_t first_hashes)
    : search_(search),
      space_(start.space()),
      work_(space_.positions(), start.record.done),
      take_(std::move(take)),
      ranks_(ranks),
      size_(std::max<std::uint64_t>(first_hashes / start.record.group_size, 1)),
      left_(work_.size()),
      is_static_(start.request.partition == PartitionMode::kStatic) {
    obey({.bound = start.bound, .work = {}, .piece = {}, .paused = {}});
}

void RankWorker::obey(const RankOrders& orders) {
    if (orders.bound) {
        bound_ = *orders.bound;
        search_.partition().set_bound(bound_);
    }
    for (const Interval& interval : orders.work) search_.partition().feed(interval);
    if (!orders.work.empty()) asked_ = false;
    if (orders.piece) {
        piece_ = orders.piece;
        at_the_end_ = false;
    }
    if (orders.paused && search_.search() != nullptr) search_.search()->set_paused(*orders.paused);
    if (orders.ranks_at_work > 0) ranks_ = orders.ranks_at_work;
    over_ = over_ || orders.over;
    if (over_ && search_.search() != nullptr) search_.search()->stop(Ending::kInterrupted);
}

std::optional<RankNews> RankWorker::step(Clock::time_point now, int stop_signal) {
    if (ended_) return std::nullopt;
    if (over_) {
        report_ = search_.stop();
        collect(news_);
        news_.last = ended_ = true;
        return std::exchange(news_, {});
    }
    collect(news_);
    size_.observe(now, completed_);
    if (is_static_ && cut_rate_.rate() == 0) {
        cut_rate_.observe(now, completed_);
        news_.rate = cut_rate_.rate();
    }
    if (!looks_on_ && search_.without_devices()) {
        looks_on_ = news_.looks_on = true;
        news_.no_device = search_.no_device();
        news_.said_before = search_.looked_on_before();
    }
    if (stop_signal != 0 && std::exchange(stop_signal_, stop_signal) == 0) news_.stop_signal = stop_signal;
    if (looks_on_) {
        give_back_all();
    } else if (search_.has_had_a_device()) {  // else all others would wait for what nobody here does
        take_work(now);
    }
    if (!is_urgent(news_) && now < told_at_ + kBetweenNews) return std::nullopt;
    told_at_ = now;
    return std::exchange(news_, {});
}

void RankWorker::take_work(Clock::time_point now) {
    const std::uint64_t backlog = search_.partition().backlog();
    if (!at_the_end_ && size_.is_low(backlog)) {
        const std::vector<Interval> taken = next_group(now);
        at_the_end_ = taken.empty() || space_.key(taken.front().first) > bound_;
        if (!at_the_end_) {
            for (const Interval& interval : taken) search_.partition().feed(interval);
        }
    } else if (at_the_end_ && backlog == 0 && !asked_) {
        asked_ = true;
        news_.wants = size_.next(now, 0, ranks_);
    }
}

std::vector<Interval> RankWorker::next_group(Clock::time_point now) {
    if (piece_) {
        const std::uint64_t left = piece_->end - piece_->first;
        const std::uint64_t count = std::min(size_.next(now, left, 1), left);
        return work_.intervals(std::exchange(piece_->first, piece_->first + count), count);
    }
    const std::uint64_t count = size_.next(now, left_, ranks_);
    const std::uint64_t first = take_(count);
    const std::uint64_t taken = std::min(work_.size(), first + count);
    left_ = work_.size() - taken;
    size_.saw_taken(now, taken);
    return work_.intervals(first, count);
}

/// Also what came when rank 0 did not know yet that no device is left.
void RankWorker::give_back_all() {
    std::ranges::move(search_.partition().take_back(), std::back_inserter(news_.given_back));
    if (!piece_) return;
    std::ranges::move(work_.intervals(piece_->first, piece_->end - piece_->first),
                      std::back_inserter(news_.given_back));
    piece_.reset();
}

/// The work first: its hits were found before it counted as done.
void RankWorker::collect(RankNews& news) {
    const DoneWork work = search_.partition().take_changes();
    completed_ += work.done.size();
    news.work.add(work);
    std::ranges::move(search_.new_hits(), std::back_inserter(news.hits));
    std::ranges::move(search_.take_notices(), std::back_inserter(news.notices));
    news.hashes = search_.hashes();
    if (Search* const search = search_.search()) news.best = search->progress().best;
}

bool RankWorker::is_urgent(const RankNews& news) const {
    return !news.hits.empty() || news.looks_on || news.wants > 0 || news.rate > 0 || news.stop_signal != 0 ||
           !news.given_back.empty();
}

}  // namespace gpuminer::mpi
