// A channel that a Stratum V2 session has opened: its extranonce and target, the jobs that wait for their block, those
// made of them, and the shares of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/steady_time.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/job.hpp"
#include "net/stratum/pool_session.hpp"
#include "net/stratum/submitted_hashes.hpp"
#include "net/sv2/messages.hpp"
#include "net/sv2/submits.hpp"

namespace gpuminer::net::sv2 {

/// Of all jobs of a session.
struct JobSource {
    JobOrigin origin;
    SteadyClock clock;                        ///< as JobParameters has it
    std::shared_ptr<RecentWork> recent_work;  ///< not null
    bool rolls_versions = false;              ///< the pool takes rolled versions
    bool of_several = false;                  ///< jobs are named "CHANNEL/JOB"
};

/// The channel that a job's name tells; empty: none.
[[nodiscard]] std::optional<std::uint32_t> channel_in(const std::string& job_id);

/// Functions that take a job throw ProtocolError where it makes no sense.
class Channel {
public:
    struct Terms {
        std::uint32_t id = 0;
        std::uint32_t group = 0;
        bool extended = false;
        Extranonce extranonce;  ///< of a standard channel without extranonce2
        ShareWork work;
    };
    Channel(Terms terms, JobSource source) : terms_(std::move(terms)), source_(std::move(source)) {}

    [[nodiscard]] const Terms& terms() const { return terms_; }

    void set_group(std::uint32_t group) { terms_.group = group; }
    /// Of jobs that come later.
    void set_extranonce_prefix(const Bytes& prefix) { terms_.extranonce.extranonce1 = prefix; }
    /// Of jobs that come later, and of those that wait for their block.
    void set_work(const ShareWork& work) { terms_.work = work; }

    /// To be searched; null: there is none.
    [[nodiscard]] const std::shared_ptr<const StratumJob>& job() const { return job_; }
    // True: there is another job(), or none any more. False: the message brings one for later, or was here before.
    [[nodiscard]] bool take(const NewMiningJob& message, SteadyTime now);
    [[nodiscard]] bool take(const NewExtendedMiningJob& message, SteadyTime now);
    /// No other job counts any more. None is left where the pool has not given the job that it names.
    [[nodiscard]] bool take(const SetNewPrevHash& message, SteadyTime now);

    /// job(), which other channels' jobs have followed, becomes one that goes on where it was.
    void go_on(SteadyTime now);

    /// `again`: as PoolSession::assess().
    [[nodiscard]] SubmitDecision assess(const StratumShare& share, bool again) const;
    /// Of a share that is to be sent.
    [[nodiscard]] SubmitRequest submit(const StratumShare& share);
    /// ShareReplied::request of the share with this number.
    [[nodiscard]] std::uint64_t request_of(std::uint32_t sequence) const {
        return std::uint64_t{terms_.id} << 32 | sequence;
    }
    [[nodiscard]] Submits& submits() { return submits_; }
    [[nodiscard]] const Submits& submits() const { return submits_; }

private:
    static constexpr std::size_t kMostWaiting = 64, kMostWaitingOfSeveral = 8;  // each may have 130 KB
    static constexpr std::size_t kMostJobs = 1'000;  // ids kept of a pool whose blocks never change

    /// All but the block that it builds on.
    struct Waiting {
        std::uint32_t job = 0;
        std::shared_ptr<StratumNotify> notify;
        Extranonce extranonce;
        bool rolls_versions = false;
    };
    [[nodiscard]] bool take(Waiting job, const std::optional<std::uint32_t>& min_time, SteadyTime now);
    void begin(std::shared_ptr<const StratumJob> job);
    [[nodiscard]] std::string id_of(std::uint32_t job) const;
    /// It came since the last block.
    [[nodiscard]] bool is_valid(const std::string& job_id) const;
    /// Completes job.notify by the current block.
    void put_on_block(const Waiting& job, std::uint32_t min_time, bool clean) const;
    // Of a job that is on the block:
    [[nodiscard]] JobParameters parameters_of(const Waiting& job, SteadyTime now) const;
    [[nodiscard]] bool is_searched(const Waiting& job, SteadyTime now) const;
    [[nodiscard]] std::shared_ptr<const StratumJob> make_job(const Waiting& job, SteadyTime now) const;

    Terms terms_;
    const JobSource source_;
    std::deque<Waiting> waiting_;  // the latest last
    std::optional<SetNewPrevHash> previous_;
    std::shared_ptr<const StratumJob> job_;
    std::deque<std::string> valid_jobs_;  // ids since the last block
    SubmittedHashes submitted_;
    Submits submits_;
};

}  // namespace gpuminer::net::sv2
