// The channels of a Stratum V2 session, which are mined in turn.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <type_traits>
#include <vector>

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
    /// Those that the message is for: of its number, or of the group of this number. Prefixes and answers are one
    /// channel's own, but a pool with one channel in a group may confuse the two numbers.
    template <typename Message>
    [[nodiscard]] std::vector<Channel*> addressed_by(const Message& message) {
        constexpr bool kOfOne =
            std::is_same_v<Message, SetExtranoncePrefix> || std::is_same_v<Message, UpdateChannelError> ||
            std::is_same_v<Message, SubmitSharesSuccess> || std::is_same_v<Message, SubmitSharesError>;
        std::vector<Channel*> addressed;
        for (Channel& channel : channels_) {
            const bool is_it = channel.terms().id == message.channel;
            const bool group_counts = !kOfOne || size() == 1;
            if (is_it || (group_counts && channel.terms().group == message.channel)) addressed.push_back(&channel);
        }
        return addressed;
    }

    /// Its job is the one that is searched.
    [[nodiscard]] bool is_mined(const Channel& channel) const { return &channel == &channels_[mined_]; }
    /// Of the channel that is mined; null: it has none, or there is no channel.
    [[nodiscard]] std::shared_ptr<const StratumJob> job() const;
    /// None of the jobs has a header left until the clock goes on.
    [[nodiscard]] bool have_run_out() const;
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
