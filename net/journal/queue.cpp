#include "net/journal/queue.hpp"

#include <algorithm>
#include <utility>

namespace gpuminer::net {

bool tell_again(SteadyTime& told_at, SteadyTime now) {
    constexpr auto kBetween = std::chrono::minutes(1);
    if (told_at != SteadyTime{} && now - told_at < kBetween) return false;
    told_at = now;
    return true;
}

JournalTicket JournalQueue::add(std::string line, SteadyTime now) {
    if (queue_.size() >= kMostEntries || text_ + line.size() > kMostText) {
        ++missing_;
        return 0;
    }
    text_ += line.size();
    queue_.push_back({std::move(line), now});
    return ++last_;
}

std::string JournalQueue::take() {
    constexpr std::size_t kMost = std::size_t{1} << 20;  // bytes, but for a single entry
    std::string lines;
    writing_since_ = queue_.front().since;
    do {
        lines += queue_.front().line;
        text_ -= queue_.front().line.size();
        queue_.pop_front();
    } while (!queue_.empty() && lines.size() + queue_.front().line.size() <= kMost);
    return lines;
}

void JournalQueue::settle() {
    settled_ = last_ - queue_.size();
    writing_since_.reset();
}

void JournalQueue::clear() {
    queue_.clear();
    settle();
}

void JournalQueue::begin_late(bool told) {
    late_ = true;
    told_late_ = told;
}

void JournalQueue::hurry(SteadyTime now) {
    if (!hurried_) hurried_ = now;
}

bool JournalQueue::look_at_clock(SteadyTime now) {
    const auto until = deadline();
    if (late_ || !until || now < *until) return false;
    late_ = true;
    if (hurried_ || !tell_again(late_told_at_, now)) return false;
    told_late_ = true;
    return true;
}

std::optional<std::uint64_t> JournalQueue::answered(SteadyTime now) {
    const auto until = deadline();
    late_ = late_ && until && now >= *until;
    if (late_ || !std::exchange(told_late_, false)) return std::nullopt;
    return std::exchange(missing_, 0);
}

std::optional<SteadyTime> JournalQueue::deadline() const {
    if (settled_ == last_) return std::nullopt;
    const SteadyTime until =
        writing_since_.value_or(queue_.empty() ? SteadyTime{} : queue_.front().since) + timing_.patience;
    return hurried_ ? std::min(until, *hurried_ + timing_.after_hurry) : until;
}

}  // namespace gpuminer::net
