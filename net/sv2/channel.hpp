// The channel that a Stratum V2 session has opened: its extranonce and target, the jobs that wait for their block, and
// those made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "net/steady_time.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/job.hpp"
#include "net/sv2/messages.hpp"

namespace gpuminer::net::sv2 {

/// Of all jobs of a session.
struct JobSource {
    JobOrigin origin;
    SteadyClock clock;                        ///< as JobParameters has it
    std::shared_ptr<RecentWork> recent_work;  ///< not null
    bool rolls_versions = false;              ///< the pool takes rolled versions
};

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
    /// A message with this channel's number is for this one: the number is its own or its group's.
    [[nodiscard]] bool answers_to(std::uint32_t id) const { return id == terms_.id || id == terms_.group; }

    void set_group(std::uint32_t group) { terms_.group = group; }
    /// Of jobs that come later.
    void set_extranonce_prefix(const Bytes& prefix) { terms_.extranonce.extranonce1 = prefix; }
    /// Of jobs that come later, and of those that wait for their block.
    void set_work(const ShareWork& work) { terms_.work = work; }

    // The job to be searched from now on; null: the message brings one for later.
    [[nodiscard]] std::shared_ptr<const StratumJob> take(const NewMiningJob& message, SteadyTime now);
    [[nodiscard]] std::shared_ptr<const StratumJob> take(const NewExtendedMiningJob& message, SteadyTime now);
    /// No other job counts any more. Null: the pool has not given the job that it names.
    [[nodiscard]] std::shared_ptr<const StratumJob> take(const SetNewPrevHash& message, SteadyTime now);

private:
    static constexpr std::size_t kMostWaiting = 64;

    /// All but the block that it builds on.
    struct Waiting {
        std::uint32_t job = 0;
        std::shared_ptr<StratumNotify> notify;
        Extranonce extranonce;
        bool rolls_versions = false;
    };
    [[nodiscard]] std::shared_ptr<const StratumJob> take(Waiting job, const std::optional<std::uint32_t>& min_time,
                                                         SteadyTime now);
    [[nodiscard]] std::shared_ptr<const StratumJob> make_job(const Waiting& job, std::uint32_t min_time, bool clean,
                                                             SteadyTime now) const;

    Terms terms_;
    const JobSource source_;
    std::deque<Waiting> waiting_;  // the latest last
    std::optional<SetNewPrevHash> previous_;
};

}  // namespace gpuminer::net::sv2
