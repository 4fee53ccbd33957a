// The channels of a Stratum V2 session, which are mined in turn.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "net/steady_time.hpp"
#include "net/stratum/events.hpp"
#include "net/stratum/job.hpp"
#include "net/sv2/channel.hpp"
#include "net/sv2/messages.hpp"

namespace gpuminer::net::sv2 {

class Channels {
public:
    /// False: one of this number is open already.
    [[nodiscard]] bool add(Channel::Terms terms, const JobSource& source);
    [[nodiscard]] bool empty() const { return channels_.empty(); }
    [[nodiscard]] std::size_t size() const { return channels_.size(); }
    [[nodiscard]] auto begin() { return channels_.begin(); }
    [[nodiscard]] auto end() { return channels_.end(); }
    [[nodiscard]] auto begin() const { return channels_.begin(); }
    [[nodiscard]] auto end() const { return channels_.end(); }

    void set_group(const SetGroupChannel& message);

    /// Its job is the one that is searched.
    [[nodiscard]] bool is_mined(const Channel& channel) const { return &channel == &channels_[mined_]; }
    /// Of the channel that is mined; null: it has none, or there is no channel.
    [[nodiscard]] std::shared_ptr<const StratumJob> job() const;
    /// True: another channel is mined from now on, as this one has had its time, or has nothing left to be searched.
    [[nodiscard]] bool take_turns(SteadyTime now);

    // The share's channel, by the name of its job; the first one where that tells none of them.
    [[nodiscard]] Channel& of(const StratumShare& share) { return channels_[index_of(share)]; }
    [[nodiscard]] const Channel& of(const StratumShare& share) const { return channels_[index_of(share)]; }
    [[nodiscard]] std::size_t waiting() const;  ///< shares without an answer

private:
    [[nodiscard]] std::size_t index_of(const StratumShare& share) const;

    std::deque<Channel> channels_;
    std::size_t mined_ = 0;
    SteadyTime turn_ends_{};
};

}  // namespace gpuminer::net::sv2
