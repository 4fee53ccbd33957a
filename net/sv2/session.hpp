// The Stratum V2 session of a connection: plain frames, which what seals them has opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "net/steady_time.hpp"
#include "net/stratum/events.hpp"
#include "net/stratum/job.hpp"
#include "net/stratum/message.hpp"
#include "net/stratum/pool_session.hpp"
#include "net/sv2/channel.hpp"
#include "net/sv2/channels.hpp"
#include "net/sv2/messages.hpp"
#include "net/sv2/rate_report.hpp"

namespace gpuminer::net::sv2 {

struct Options {
    std::string user;
    std::string agent;  ///< "gpuminer/0.1.0"
    std::string host;   ///< of the pool, as the user gave it
    std::uint16_t port = 0;
    /// Chosen by the user: no easier shares are wanted. Empty: the pool chooses by the rate.
    std::optional<double> suggest_difficulty;
    /// Hashes per second, asked at the login and at each tick; 0: not known yet.
    std::function<double()> hash_rate;
    /// To be opened, and mined in turn.
    unsigned channels = 1;
    /// The server is told that an end device is here, which takes no extended jobs and so opens no extended channel.
    /// Where the server wants that, or closes the connection on it: false, and jobs of both kinds are taken.
    bool standard_jobs = true;
    std::shared_ptr<RecentWork> recent_work;  ///< of this pool, for all connections to it; null: of this session alone
    JobOrigin origin;                         ///< for the jobs
    SteadyClock clock;                        ///< for the age of jobs, called by any thread
};

/// A frame that is sent has one message. Channels are standard ones, or extended ones where the server requires that.
/// Nothing of them outlives the connection, so that a share of an earlier one is sent again only if it solves a block.
class Session final : public PoolSession {
public:
    explicit Session(Options options);

    [[nodiscard]] StratumEvents start(SteadyTime now) override;
    /// The first bytes of a frame are enough to end the session over its length.
    [[nodiscard]] std::optional<StratumEvents> next(std::string& received, SteadyTime now) override;
    [[nodiscard]] StratumEvents tick(SteadyTime now) override;
    /// Ignored unless `again`: the pool hears of the rate by itself.
    [[nodiscard]] StratumEvents set_suggested_difficulty(double difficulty, SteadyTime now,
                                                         bool again = false) override;
    /// Ignored: a share has the whole version, which no server reads in another way.
    void set_rolling(VersionRolling /*rolling*/, SteadyTime /*now*/) override {}
    [[nodiscard]] SubmitDecision assess(const StratumShare& share, bool again = false) const override;
    [[nodiscard]] std::optional<SubmitRequest> submit(const StratumShare& share, SteadyTime now,
                                                      bool again = false) override;
    [[nodiscard]] StratumEvents farewell() override;
    [[nodiscard]] bool ready() const override { return !channels_.empty() && !output_.over(); }
    [[nodiscard]] std::shared_ptr<const StratumJob> current_job() const override { return channels_.job(); }
    /// None: a server answers in batches, of a size that it does not tell.
    [[nodiscard]] std::size_t in_flight() const override { return 0; }
    [[nodiscard]] bool answers_each_share() const override { return false; }
    [[nodiscard]] std::string suggestion_refusal() const override { return refusal_; }

    [[nodiscard]] bool over() const { return output_.over(); }  ///< LoginRefused or ProtocolViolation came
    /// Bytes of the longest message that may come now.
    [[nodiscard]] std::size_t longest_payload() const;
    [[nodiscard]] bool is_set_up() const { return set_up_; }               ///< the server takes the connection
    [[nodiscard]] bool rolls_versions() const { return rolls_versions_; }  ///< the server allows it. Once it is set up
    [[nodiscard]] std::size_t waiting() const { return channels_.waiting(); }  ///< shares without an answer

private:
    /// What the pool owes now, by a deadline.
    enum class Awaiting { kNothing, kSetup, kChannel, kWork };

    template <typename Message>
    void send(const Message& message) {
        output_.add(Send{encode(message)});
    }
    void await(Awaiting what);
    void look_at_clock();
    void open_channel(bool extended);
    /// On this connection, or on the next: an end device's has no extended jobs.
    void open_extended_channel(const std::string& why);
    void opened(Channel::Terms terms, const Digest& target);
    /// `difficulty`: to be asked for from now on.
    void update_channel(double rate, std::optional<double> difficulty);
    [[nodiscard]] double rate() const;
    [[nodiscard]] float rate_of_channel() const;
    [[nodiscard]] Digest max_target() const;

    void take(std::uint8_t type, std::span<const std::uint8_t> payload);
    /// True: it was of one of these kinds.
    template <typename... Messages>
    [[nodiscard]] bool take_one_of(std::uint8_t type, std::span<const std::uint8_t> payload);
    /// Of a channel: for each that it is for. Says so where there is none.
    template <typename Message>
    void pass_on(const Message& message);

    void handle(const SetupConnectionSuccess& message);
    void handle(const SetupConnectionError& message);
    void handle(const OpenStandardMiningChannelSuccess& message);
    void handle(const OpenExtendedMiningChannelSuccess& message);
    void handle(const OpenMiningChannelError& message);
    void handle(Channel& channel, const UpdateChannelError& message);
    void handle(Channel& channel, const CloseChannel& message);
    void handle(Channel& channel, const SetExtranoncePrefix& message);
    void handle(Channel& channel, const SubmitSharesSuccess& message);
    void handle(Channel& channel, const SubmitSharesError& message);
    void handle(Channel& channel, const NewMiningJob& message);
    void handle(Channel& channel, const NewExtendedMiningJob& message);
    void handle(Channel& channel, const SetNewPrevHash& message);
    void handle(Channel& channel, const SetTarget& message);
    void handle(const SetGroupChannel& message);
    void handle(const Reconnect& message);

    void job_changed(const Channel& channel);
    void take_fewer_channels(const std::string& why);

    Options options_;
    StratumOutput output_;
    Awaiting awaiting_ = Awaiting::kNothing;
    SteadyTime deadline_{};
    std::uint32_t flags_ = 0;    // that were sent
    std::uint32_t request_ = 0;  // for a channel, the last one
    bool extended_ = false;      // is asked for
    bool set_up_ = false;
    static constexpr std::uint16_t kExtranonceSize = 8, kLeastExtranonceSize = 4;
    std::uint16_t extranonce_size_ = kExtranonceSize;  // bytes that an extended channel is asked for
    bool rolls_versions_ = false;

    Channels channels_;    // none: not logged in
    bool asking_ = false;  // for another one
    SteadyTime asking_until_{};
    RateReport report_;
    std::optional<double> difficulty_before_;  // asked for before the last UpdateChannel
    std::string refusal_;
    bool warned_of_waiting_ = false;
    bool warned_of_surplus_ = false;
};

}  // namespace gpuminer::net::sv2
