// Mining jobs as they come, for one endless search: a new job needs no new search, so that no device waits for another
// one when it comes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "host/mutex.hpp"
#include "host/search/mining_job.hpp"
#include "host/search/search.hpp"
#include "host/search/work_source.hpp"

namespace gpuminer {

/// All members may be called from any thread.
class JobStream final : public WorkSource {
public:
    using FoundCallback = std::function<void(const JobHit&)>;

    /// Without a job. `found` is called on the devices' threads.
    explicit JobStream(FoundCallback found);

    /// From now on this is searched; null: nothing. The current one again: it goes on, as it may have headers again.
    void set_job(std::shared_ptr<const MiningJob> job);

    [[nodiscard]] Partition& partition() override { return partition_; }
    [[nodiscard]] std::optional<VersionGroup> group(std::uint64_t number) override;
    [[nodiscard]] std::uint32_t group_size() const override { return kVersionsPerJob; }
    [[nodiscard]] std::uint64_t generation() const override;
    [[nodiscard]] std::optional<std::uint64_t> total_hashes() const override { return std::nullopt; }
    [[nodiscard]] WorkResult result() override { return {}; }  // hits have been handed over as they were found

private:
    /// Of a group's number, within its job: enough for 2^64 hashes and more. The others count jobs.
    static constexpr unsigned kGroupBits = 32;
    /// A unit may be taken just before the job changes, and is looked up afterwards.
    static constexpr std::size_t kJobsKept = 16;

    [[nodiscard]] std::shared_ptr<const MiningJob> job_of(std::uint64_t generation) const;
    [[nodiscard]] bool has_header(const std::shared_ptr<const MiningJob>& job, std::uint64_t index);
    void found(const JobHit& hit);

    const FoundCallback found_;
    Partition partition_;

    mutable Mutex mutex_;  ///< the partition's is taken within it
    std::uint64_t generation_ GPUMINER_GUARDED_BY(mutex_) = 0;
    /// Job n is at n modulo their number.
    std::array<std::shared_ptr<const MiningJob>, kJobsKept> jobs_ GPUMINER_GUARDED_BY(mutex_);
};

/// The search of mining jobs, one after the other, until it is stopped.
class MiningSearch final : public Search {
public:
    /// `found` is called for every hit, on the devices' threads and under locks of the search: it has to return at
    /// once, and must not call the search or its fleet. The report has no hits; its ending is what stop() was given.
    MiningSearch(std::function<void(const JobHit&)> found, Fleet& fleet);

    /// From any thread: from now on this job is searched, and no device begins a batch of an older one. Null: nothing
    /// is. Hits of older jobs may still be found, in batches that had begun.
    void set_job(std::shared_ptr<const MiningJob> job);

private:
    MiningSearch(std::shared_ptr<JobStream> stream, Fleet& fleet);

    const std::shared_ptr<JobStream> stream_;
};

}  // namespace gpuminer
