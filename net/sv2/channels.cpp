#include "net/sv2/channels.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gpuminer::net::sv2 {

bool Channels::add(Channel::Terms terms, const JobSource& source) {
    const auto has_its_number = [&](const Channel& other) { return other.terms().id == terms.id; };
    if (std::ranges::any_of(channels_, has_its_number)) return false;
    channels_.emplace_back(std::move(terms), source);
    return true;
}

void Channels::set_group(const SetGroupChannel& message) {
    for (Channel& channel : channels_) {
        const bool is_named = std::ranges::find(message.channels, channel.terms().id) != message.channels.end();
        if (is_named) channel.set_group(message.group);
    }
}

std::shared_ptr<const StratumJob> Channels::job() const { return empty() ? nullptr : channels_[mined_].job(); }

bool Channels::have_run_out() const {
    const auto has_run_out = [](const Channel& any) { return !any.job() || any.job()->has_run_out(); };
    return job() && std::ranges::all_of(channels_, has_run_out);
}

bool Channels::take_turns(SteadyTime now) {
    constexpr std::chrono::seconds kTurn{2};
    const auto current = job();
    const bool has_work = current && !current->has_run_out();
    if (size() < 2 || (now < turn_ends_ && has_work)) return false;
    for (std::size_t step = 1; step < size(); ++step) {
        const std::size_t next = (mined_ + step) % size();
        if (!channels_[next].job()) continue;
        mined_ = next;
        turn_ends_ = now + kTurn;
        channels_[next].go_on(now);
        return true;
    }
    return false;
}

std::size_t Channels::index_of(const StratumShare& share) const {
    const auto id = channel_in(share.job_id);
    const auto found = std::ranges::find_if(channels_, [&](const Channel& any) { return any.terms().id == id; });
    return found == channels_.end() ? 0 : static_cast<std::size_t>(found - channels_.begin());
}

std::size_t Channels::waiting() const {
    std::size_t sum = 0;
    for (const Channel& channel : channels_) sum += channel.submits().waiting();
    return sum;
}

}  // namespace gpuminer::net::sv2
