#include "mpi/rank_worker.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpuminer::mpi {
namespace {

/// Between two messages where nothing is urgent.
constexpr std::chrono::milliseconds kBetweenNews{100};
/// The first group of all: a fraction of a second's work of one slow thread.
constexpr std::uint64_t kFirstHashes = std::uint64_t{1} << 16;

}  // namespace

RankWorker::RankWorker(RankSearch& search, const RankStart& start, unsigned ranks, Take take)
    : search_(search),
      work_(start.positions(), start.record.done),
      nonces_(std::uint64_t{start.request.end} - start.request.start + 1),
      first_nonce_(start.request.start),
      take_(std::move(take)),
      ranks_(ranks),
      size_(std::max<std::uint64_t>(kFirstHashes / start.record.group_size, 1)),
      left_(work_.size()) {
    obey({.bound = start.bound, .work = {}, .paused = {}});
}

void RankWorker::obey(const RankOrders& orders) {
    if (orders.bound) {
        bound_ = orders.bound;
        search_.partition().set_bound(*orders.bound);
    }
    for (const Interval& interval : orders.work) search_.partition().feed(interval);
    if (!orders.work.empty()) asked_ = false;
    if (orders.paused && search_.search() != nullptr) search_.search()->set_paused(*orders.paused);
    if (orders.ranks_at_work > 0) ranks_ = orders.ranks_at_work;
    over_ = over_ || orders.over;
}

std::optional<RankNews> RankWorker::step(Clock::time_point now, bool told_to_stop) {
    if (ended_) return std::nullopt;
    if (over_) {
        report_ = search_.stop();
        collect(news_);
        news_.last = ended_ = true;
        return std::exchange(news_, {});
    }
    collect(news_);
    size_.observe(now, completed_);
    if (!looks_on_ && search_.without_devices()) {
        looks_on_ = news_.looks_on = true;
        news_.no_device = search_.no_device();
        news_.given_back = search_.partition().take_back();
    }
    if (told_to_stop && !std::exchange(told_to_stop_, true)) news_.told_to_stop = true;
    if (!looks_on_) take_work();
    if (!is_urgent(news_) && now < told_at_ + kBetweenNews) return std::nullopt;
    told_at_ = now;
    return std::exchange(news_, {});
}

void RankWorker::take_work() {
    const std::uint64_t backlog = search_.partition().backlog();
    if (!at_the_end_ && size_.is_low(backlog)) {
        const std::uint64_t count = size_.next(left_, ranks_);
        const std::uint64_t first = take_(count);
        const std::vector<Interval> taken = work_.intervals(first, count);
        const auto is_beyond = [this](const Interval& interval) {
            return bound_ && UnitKey{interval.first / nonces_,
                                     static_cast<std::uint32_t>(first_nonce_ + interval.first % nonces_)} > *bound_;
        };
        at_the_end_ = taken.empty() || is_beyond(taken.front());
        left_ = work_.size() - std::min(work_.size(), first + count);
        if (!at_the_end_) {
            for (const Interval& interval : taken) search_.partition().feed(interval);
        }
    } else if (at_the_end_ && backlog == 0 && !asked_) {
        asked_ = true;
        news_.wants = size_.next(0, ranks_);
    }
}

/// The work first: its hits were found before it counted as done.
void RankWorker::collect(RankNews& news) {
    Partition::Changes changes = search_.partition().take_changes();
    completed_ += changes.done.size();
    for (const auto& [first, end] : changes.done.intervals()) {
        news.done.add({first, end});
        news.undone.remove({first, end});
    }
    for (const auto& [first, end] : changes.undone.intervals()) {
        news.undone.add({first, end});
        news.done.remove({first, end});
    }
    std::ranges::move(search_.new_hits(), std::back_inserter(news.hits));
    std::ranges::move(search_.take_notices(), std::back_inserter(news.notices));
    news.hashes = search_.hashes();
    if (Search* const search = search_.search()) news.best = search->progress().best;
}

bool RankWorker::is_urgent(const RankNews& news) const {
    return !news.hits.empty() || news.looks_on || news.wants > 0 || news.told_to_stop || !news.given_back.empty();
}

}  // namespace gpuminer::mpi
