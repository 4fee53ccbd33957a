// One mining job after the other as groups of work for one endless search: a new job needs no new search, so that no
// device waits for another one when it comes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "host/search/mining_job.hpp"
#include "host/search/partition.hpp"

namespace gpuminer {

/// All members may be called from any thread.
class JobStream {
public:
    using FoundCallback = std::function<void(const JobHit&)>;

    /// Some versions of one header of a job.
    struct Group {
        std::shared_ptr<const MiningJob> job;
        std::uint64_t index = 0;  ///< the header's number
        BlockHeader header;
        std::vector<std::uint32_t> versions;
    };

    /// `found` is called on the devices' threads. Groups have up to `group_size` (a power of two) versions.
    JobStream(FoundCallback found, std::uint32_t group_size);

    /// From now on this is searched; null: nothing.
    void set_job(std::shared_ptr<const MiningJob> job, Partition& partition);
    /// Number of the current job, counted up; units that follow a change of it belong to a new job.
    [[nodiscard]] std::uint64_t generation() const;
    /// Empty: its job is long gone.
    [[nodiscard]] std::optional<Group> group(std::uint64_t number) const;
    /// False: nobody is interested in what else the group holds.
    bool found(const Group& group, const Hit& hit, Partition& partition);

private:
    /// Of a group's number, within its job: enough for 2^64 hashes and more. The others count jobs.
    static constexpr unsigned kGroupBits = 32;
    /// A unit may be taken just before the job changes, and is looked up afterwards.
    static constexpr std::size_t kJobsKept = 16;

    const FoundCallback found_;
    const std::uint32_t group_size_;

    mutable std::mutex mutex_;  // guards what follows
    std::uint64_t generation_ = 0;
    std::array<std::shared_ptr<const MiningJob>, kJobsKept> jobs_;  ///< job n at n modulo their number
};

}  // namespace gpuminer
