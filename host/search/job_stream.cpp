#include "host/search/job_stream.hpp"

#include <utility>

#include "host/search/version_space.hpp"

namespace gpuminer {

JobStream::JobStream(FoundCallback found) : found_(std::move(found)) { partition_.set_hold(Hold::kNoJob, true); }

void JobStream::set_job(std::shared_ptr<const MiningJob> job) {
    const MutexLock lock(mutex_);
    partition_.set_hold(Hold::kNoJob, job == nullptr);
    if (job && job == jobs_[generation_ % kJobsKept]) return;
    ++generation_;
    jobs_[generation_ % kJobsKept] = std::move(job);
    partition_.skip_to(generation_ << kGroupBits);
}

std::uint64_t JobStream::generation() const {
    const MutexLock lock(mutex_);
    return generation_;
}

std::shared_ptr<const MiningJob> JobStream::job_of(std::uint64_t generation) const {
    const MutexLock lock(mutex_);
    return generation_ - generation < kJobsKept ? jobs_[generation % kJobsKept] : nullptr;
}

std::optional<VersionGroup> JobStream::group(std::uint64_t number) {
    const std::shared_ptr<const MiningJob> job = job_of(number >> kGroupBits);
    if (!job) return std::nullopt;
    const std::uint64_t in_job = number & ((std::uint64_t{1} << kGroupBits) - 1);
    const std::uint64_t groups_of_header = VersionSpace(0, job->version_mask(), kVersionsPerJob).groups();
    const std::uint64_t index = in_job / groups_of_header;
    if (!has_header(job, index)) return std::nullopt;
    const BlockHeader header = job->header(index);
    const VersionSpace versions(header.version(), job->version_mask(), kVersionsPerJob);
    return VersionGroup{.header = header,
                        .target = job->target(),
                        .versions = versions.group(in_job % groups_of_header),
                        .first_hit_only = job->ends_with_first_hit(),
                        .found = [this, job, index](const Hit& hit) {
                            found({job, index, hit});
                        }};
}

// Within the lock, so that a job that is handed out once more does not go on before the devices have stopped.
bool JobStream::has_header(const std::shared_ptr<const MiningJob>& job, std::uint64_t index) {
    if (job->has_header(index)) return true;
    const MutexLock lock(mutex_);
    if (job->has_header(index)) return true;
    if (job == jobs_[generation_ % kJobsKept]) partition_.set_hold(Hold::kNoJob, true);
    return false;
}

void JobStream::found(const JobHit& hit) {
    if (hit.job->ends_with_first_hit()) {
        const MutexLock lock(mutex_);
        auto& current = jobs_[generation_ % kJobsKept];
        if (current != hit.job) return;
        current.reset();
        partition_.set_hold(Hold::kNoJob, true);
    }
    found_(hit);
}

MiningSearch::MiningSearch(std::function<void(const JobHit&)> found, Fleet& fleet)
    : MiningSearch(std::make_shared<JobStream>(std::move(found)), fleet) {}

MiningSearch::MiningSearch(std::shared_ptr<JobStream> stream, Fleet& fleet)
    : Search(stream, fleet), stream_(std::move(stream)) {}

void MiningSearch::set_job(std::shared_ptr<const MiningJob> job) { stream_->set_job(std::move(job)); }

}  // namespace gpuminer
