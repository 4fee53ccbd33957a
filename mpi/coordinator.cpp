#include "mpi/coordinator.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "host/threads.hpp"
#include "mpi/shares.hpp"

namespace gpuminer::mpi {

void Coordinator::take(unsigned rank, RankNews news) {
    Rank& from = ranks_[rank];
    from.hashes = news.hashes;
    if (news.wants > 0) from.wants = news.wants;
    if (news.rate > 0) from.rate = news.rate;
    if (news.looks_on) {
        from.looks_on = true;
        from.no_device = news.no_device;
        if (!news.no_device.empty() && !news.said_before)
            notices_.push_back({Severity::kWarning, fmt::format("rank {}: {}", rank, news.no_device)});
        if (!news.said_before)
            notices_.push_back({Severity::kWarning, fmt::format("rank {} has no device left, and idles", rank)});
    }
    if (news.best && (!best_ || *news.best < *best_)) best_ = news.best;
    for (Notice& notice : news.notices)
        notices_.push_back({notice.severity, fmt::format("rank {}: {}", rank, notice.text)});
    if (stop_signal_ == 0) stop_signal_ = news.stop_signal;
    from.ended = from.ended || news.last;
    if (news.last) from.report = std::move(news.report);
    told_.push_back(std::move(news));
}

/// In the order in which it was told: the hits of work come before it, or with it.
void Coordinator::book(Clock::time_point until) {
    for (; !told_.empty(); told_.pop_front(), hits_taken_ = 0) {
        const RankNews& news = told_.front();
        for (; hits_taken_ < news.hits.size(); ++hits_taken_) {
            if (Clock::now() >= until) return;
            ledger_.add_hit(news.hits[hits_taken_]);
        }
        ledger_.add(news.work);
        for (const Interval& positions : news.given_back) given_back_.add(positions);
    }
}

void Coordinator::forget() {
    for (const RankNews& news : told_) ledger_.add({.done = {}, .undone = news.work.undone});
    told_.clear();
    hits_taken_ = 0;
}

std::vector<std::pair<unsigned, RankOrders>> Coordinator::due(const Wish& wish) {
    std::vector<std::pair<unsigned, RankOrders>> result;
    if (told_over_) return result;
    std::vector<RankOrders> orders(ranks_.size());
    const std::optional<UnitKey> bound = ledger_.bound();
    const unsigned at_work = ranks_at_work();
    const bool over = wish.stopped || ledger_.finished() || (at_work == 0 && told_.empty());
    bool for_all = false;
    for (RankOrders& order : orders) {
        if (bound != told_bound_) order.bound = bound;
        if (wish.paused != told_paused_) order.paused = wish.paused;
        if (at_work != told_ranks_) order.ranks_at_work = at_work;
        order.over = over;
        for_all = for_all || order.bound || order.paused || order.ranks_at_work > 0 || over;
    }
    told_bound_ = bound;
    told_paused_ = wish.paused;
    told_ranks_ = at_work;
    told_over_ = over;
    if (!over && can_cut()) cut(orders);
    if (!over) share_out(orders);
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (for_all || orders[i].piece || !orders[i].work.empty())
            result.emplace_back(static_cast<unsigned>(i), std::move(orders[i]));
    }
    return result;
}

bool Coordinator::can_cut() const {
    return take_rest_ && std::ranges::all_of(ranks_, [](const Rank& rank) { return rank.looks_on || rank.rate > 0; });
}

/// Some rank is at work.
void Coordinator::cut(std::vector<RankOrders>& orders) {
    const std::uint64_t first = std::min(std::exchange(take_rest_, {})(left_), left_);
    std::vector<double> rates;
    for (const Rank& rank : ranks_) rates.push_back(rank.looks_on ? 0 : rank.rate);
    const std::vector<Interval> pieces = cut_by_rate({first, left_}, rates);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].first < pieces[i].end) orders[i].piece = pieces[i];
    }
}

/// What was given back goes to ranks that have nothing else to do.
void Coordinator::share_out(std::vector<RankOrders>& orders) {
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (ranks_[i].wants == 0 || ranks_[i].looks_on) continue;
        orders[i].work = take_back(ranks_[i].wants);
        if (!orders[i].work.empty()) ranks_[i].wants = 0;
    }
}

/// At most `count` positions of what was given back, the lowest first.
std::vector<Interval> Coordinator::take_back(std::uint64_t count) {
    std::vector<Interval> taken;
    while (count > 0 && !given_back_.empty()) {
        const auto& [first, end] = *given_back_.intervals().begin();
        taken.push_back({first, first + std::min(count, end - first)});
        count -= taken.back().end - taken.back().first;
        given_back_.remove(taken.back());
    }
    return taken;
}

bool Coordinator::ended() const { return told_.empty() && std::ranges::all_of(ranks_, &Rank::ended); }

std::vector<std::string> Coordinator::reports() const {
    std::vector<std::string> reports;
    for (const Rank& rank : ranks_) {
        RankReport partial;
        partial.rank = static_cast<unsigned>(reports.size());
        partial.search.hashes = rank.hashes;
        reports.push_back(rank.ended ? rank.report : to_bytes(partial));
    }
    return reports;
}

std::string Coordinator::silent_ranks() const {
    std::string text;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (!ranks_[i].ended) text += fmt::format("{}rank {}", text.empty() ? "" : ", ", i);
    }
    return text;
}

std::string Coordinator::no_device() const {
    if (std::ranges::any_of(ranks_, [](const Rank& rank) { return rank.no_device.empty(); })) return "";
    return ranks_.front().no_device;
}

std::uint64_t Coordinator::hashes() const {
    std::uint64_t hashes = 0;
    for (const Rank& rank : ranks_) hashes += rank.hashes;
    return hashes;
}

unsigned Coordinator::ranks_at_work() const {
    return static_cast<unsigned>(std::ranges::count(ranks_, false, &Rank::looks_on));
}

void CommonSearch::stop(Ending why) {
    const MutexLock lock(mutex_);
    if (!stop_reason_) stop_reason_ = why;
}

void CommonSearch::set_paused(bool paused, PauseReason reason) {
    const auto bit = static_cast<unsigned>(reason);
    const MutexLock lock(mutex_);
    paused_ = paused ? paused_ | bit : paused_ & ~bit;
}

SearchProgress CommonSearch::progress() const {
    const MutexLock lock(mutex_);
    SearchProgress result;
    result.hashes_total = total_;
    result.hashes_before = before_;
    result.hashes_done = std::min(hashes_, total_ - before_);
    result.seconds = seconds();
    result.paused = paused_ != 0;
    result.on_battery = (paused_ & static_cast<unsigned>(PauseReason::kBattery)) != 0;
    result.waiting = hashes_ == 0;
    result.best = best_;
    return result;
}

Coordinator::Wish CommonSearch::wish() const {
    const MutexLock lock(mutex_);
    return {.paused = paused_ != 0, .stopped = stop_reason_.has_value()};
}

std::optional<Ending> CommonSearch::stop_reason() const {
    const MutexLock lock(mutex_);
    return stop_reason_;
}

void CommonSearch::update(std::uint64_t hashes, const std::optional<Hash256>& best, std::vector<Notice> notices) {
    for (Notice& notice : notices) notices_.add(notice.severity, std::move(notice.text));
    const MutexLock lock(mutex_);
    hashes_ = hashes;
    best_ = best;
}

double CommonSearch::seconds() const { return seconds_since(started_); }

}  // namespace gpuminer::mpi
