// Search of mining jobs, one after the other, until it is stopped.
#pragma once

#include <functional>
#include <memory>

#include "host/search/mining_job.hpp"
#include "host/search/search.hpp"

namespace gpuminer {

class JobStream;

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
