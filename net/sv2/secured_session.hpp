// A Stratum V2 session inside Noise's encryption: the handshake, then sealed frames around those of a plain session.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/noise/authority_key.hpp"
#include "net/noise/certificate.hpp"
#include "net/noise/curve.hpp"
#include "net/noise/handshake.hpp"
#include "net/steady_time.hpp"
#include "net/stratum/events.hpp"
#include "net/stratum/pool_session.hpp"
#include "net/sv2/session.hpp"

namespace gpuminer::net::sv2 {

struct Security {
    std::optional<AuthorityKey> authority;                              ///< empty: anybody may be the server
    std::function<std::chrono::system_clock::time_point()> wall_clock;  ///< for the certificate's validity
    RandomDraw draw = draw_random;                                      ///< tests have their own
};

class SecuredSession final : public PoolSession {
public:
    SecuredSession(Options options, Security security);

    [[nodiscard]] StratumEvents start(SteadyTime now) override;
    [[nodiscard]] std::optional<StratumEvents> next(std::string& received, SteadyTime now) override;
    [[nodiscard]] StratumEvents tick(SteadyTime now) override;
    [[nodiscard]] StratumEvents set_suggested_difficulty(double difficulty, SteadyTime now,
                                                         bool again = false) override;
    void set_rolling(VersionRolling rolling, SteadyTime now) override { plain_.set_rolling(rolling, now); }
    [[nodiscard]] SubmitDecision assess(const StratumShare& share, bool again = false) const override;
    [[nodiscard]] std::optional<SubmitRequest> submit(const StratumShare& share, SteadyTime now,
                                                      bool again = false) override;
    [[nodiscard]] StratumEvents farewell() override;
    [[nodiscard]] bool ready() const override { return plain_.ready() && !over_; }
    [[nodiscard]] std::shared_ptr<const StratumJob> current_job() const override { return plain_.current_job(); }
    [[nodiscard]] std::size_t in_flight() const override { return plain_.in_flight(); }
    [[nodiscard]] bool answers_each_share() const override { return plain_.answers_each_share(); }
    [[nodiscard]] std::string suggestion_refusal() const override { return plain_.suggestion_refusal(); }

    [[nodiscard]] const Session& plain() const { return plain_; }
    /// Null: the server has not shaken hands yet.
    [[nodiscard]] const NoiseCertificate* certificate() const {
        return transport_ ? &transport_->certificate : nullptr;
    }

private:
    [[nodiscard]] StratumEvents shake_hands(std::string& received, SteadyTime now);
    /// The plain session's events, with what they send sealed.
    [[nodiscard]] StratumEvents sealed(StratumEvents events);
    [[nodiscard]] StratumEvents failed(std::string sentence);

    Session plain_;
    const Security security_;
    std::optional<NoiseHandshake> handshake_;  // empty: it is over
    SteadyTime deadline_{};                    // of the server's part of the handshake
    std::optional<NoiseTransport> transport_;  // empty: the handshake is not over
    std::string opened_;                       // plain frames that the session has not taken yet
    bool over_ = false;
};

}  // namespace gpuminer::net::sv2
