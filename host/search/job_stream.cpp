#include "host/search/job_stream.hpp"

#include <utility>

#include "host/search/version_space.hpp"

namespace gpuminer {

JobStream::JobStream(FoundCallback found, std::uint32_t group_size)
    : found_(std::move(found)), group_size_(group_size) {}

void JobStream::set_job(std::shared_ptr<const MiningJob> job, Partition& partition) {
    const std::lock_guard lock(mutex_);
    partition.set_hold(Hold::kNoJob, job == nullptr);
    ++generation_;
    jobs_[generation_ % kJobsKept] = std::move(job);
    partition.skip_to(generation_ << kGroupBits);
}

std::uint64_t JobStream::generation() const {
    const std::lock_guard lock(mutex_);
    return generation_;
}

std::optional<JobStream::Group> JobStream::group(std::uint64_t number) const {
    const std::uint64_t generation = number >> kGroupBits;
    const std::uint64_t in_job = number & ((std::uint64_t{1} << kGroupBits) - 1);
    Group group;
    {
        const std::lock_guard lock(mutex_);
        if (generation_ - generation < kJobsKept) group.job = jobs_[generation % kJobsKept];
    }
    if (!group.job) return std::nullopt;
    const std::uint64_t groups_of_header = VersionSpace(0, group.job->version_mask(), group_size_).groups();
    group.index = in_job / groups_of_header;
    group.header = group.job->header(group.index);
    group.versions =
        VersionSpace(group.header.version(), group.job->version_mask(), group_size_).group(in_job % groups_of_header);
    return group;
}

bool JobStream::found(const Group& group, const Hit& hit, Partition& partition) {
    if (group.job->ends_with_first_hit()) {
        const std::lock_guard lock(mutex_);
        auto& current = jobs_[generation_ % kJobsKept];
        if (current != group.job) return false;
        current.reset();
        partition.set_hold(Hold::kNoJob, true);
    }
    found_({group.job, group.index, hit});
    return !group.job->ends_with_first_hit();
}

}  // namespace gpuminer
