// The Stratum V1 session of a connection: lines of JSON.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "net/stratum/dialect.hpp"
#include "net/stratum/events.hpp"
#include "net/stratum/job.hpp"
#include "net/stratum/login.hpp"
#include "net/stratum/pool_session.hpp"
#include "net/stratum/submitted_hashes.hpp"

namespace gpuminer::net {

struct StratumMessage;

class StratumSession final : public PoolSession {
public:
    explicit StratumSession(StratumOptions options);

    [[nodiscard]] StratumEvents start(SteadyTime now) override;
    [[nodiscard]] std::optional<StratumEvents> next(std::string& received, SteadyTime now) override;
    [[nodiscard]] StratumEvents tick(SteadyTime now) override;
    [[nodiscard]] StratumEvents set_suggested_difficulty(double difficulty, SteadyTime now,
                                                         bool again = false) override;
    void set_rolling(VersionRolling rolling, SteadyTime now) override;
    [[nodiscard]] SubmitDecision assess(const StratumShare& share, bool again = false) const override;
    [[nodiscard]] std::optional<SubmitRequest> submit(const StratumShare& share, SteadyTime now,
                                                      bool again = false) override;
    [[nodiscard]] bool ready() const override { return login_.logged_in() && !output_.over(); }
    [[nodiscard]] std::shared_ptr<const StratumJob> current_job() const override { return job_; }
    [[nodiscard]] std::size_t in_flight() const override { return in_flight_.size(); }
    [[nodiscard]] std::string suggestion_refusal() const override { return suggestion_refusal_; }

    [[nodiscard]] bool over() const { return output_.over(); }  ///< LoginRefused or ProtocolViolation came
    /// Granted: submits have a sixth parameter.
    [[nodiscard]] bool version_rolling() const { return login_.granted().version_rolling; }
    [[nodiscard]] std::uint32_t version_mask() const { return version_mask_; }  ///< granted; 0: none

private:
    [[nodiscard]] StratumEvents line(std::string_view line, SteadyTime now);  ///< without its end, and not empty

    void send_suggestion();
    void send_keep_alive();

    // Replies.
    void handle_reply(const StratumMessage& reply);
    void handle_login_reply(std::uint64_t id, const StratumMessage& reply);

    // Calls of the pool.
    void handle_call(const StratumMessage& call);
    void handle_request(const StratumMessage& call);
    void handle_notify(const nlohmann::json& params);
    void handle_work(const nlohmann::json& params);
    void handle_extranonce(const nlohmann::json& params);
    void handle_version_mask(const nlohmann::json& params);
    void handle_reconnect(const nlohmann::json& params);
    void handle_show_message(const nlohmann::json& params);

    void warn_of_oddities(const StratumNotify& notify);
    /// No work that can be read: the devices have nothing to do until there is some.
    void end_job();
    void make_job(const std::shared_ptr<const StratumNotify>& notify);
    /// Where its coinbase cannot be part of a block.
    void warn_of_coinbase(const StratumJob& job);
    /// Where devices wait for headers of it.
    void go_on_with_job();
    /// Of a notification that had to wait, if it need not any more.
    void make_early_job();
    [[nodiscard]] const std::optional<ShareWork>& share_work() const {
        return work_ ? work_ : options_.dialect->default_work;
    }
    void set_job(std::shared_ptr<const StratumJob> job);
    /// After a refusal for low difficulty: where the pool has set a higher one since, that is in force at once.
    void raise_difficulty();
    void repeat_job();
    void repeat_job_with(const ShareWork& work);
    void repeat_job(JobParameters parameters);

    /// A line that makes no sense: the end of the session, but where it has given work before only if there are many.
    void bad_line(const std::string& flaw);

    StratumOptions options_;
    StratumOutput output_;
    StratumLogin login_;
    std::size_t searched_ = 0;  // bytes at the front of what was received that have no end of a line

    std::uint32_t version_mask_ = 0;
    std::optional<ShareWork> work_;         // empty: the pool has not set any
    std::optional<double> suggested_;       // last one sent
    std::uint64_t suggestion_request_ = 0;  // its id
    std::string suggestion_refusal_;
    bool had_job_ = false;
    std::deque<SteadyTime> bad_lines_;  // times of the last ones
    bool warned_of_flag_ = false;
    bool warned_of_surplus_ = false;
    bool warned_of_coinbase_ = false;
    bool warned_of_waiting_ = false;
    Extranonce extranonce_;

    std::shared_ptr<const StratumJob> job_;
    std::shared_ptr<const StratumNotify> early_notify_;  // came before what it needs
    std::deque<std::string> valid_jobs_;                 // ids since the last clean one
    SubmittedHashes submitted_;
    std::map<std::uint64_t, double> in_flight_;  // submits without a reply: their ids, and what they were found for
    bool raised_ = false;                        // the current job's difficulty, after it had come
};

}  // namespace gpuminer::net
