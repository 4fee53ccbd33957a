#include "host/search/mining_search.hpp"

#include <utility>

#include "host/search/job_stream.hpp"

namespace gpuminer {

MiningSearch::MiningSearch(std::function<void(const JobHit&)> found, Fleet& fleet)
    : MiningSearch(std::make_shared<JobStream>(std::move(found)), fleet) {}

MiningSearch::MiningSearch(std::shared_ptr<JobStream> stream, Fleet& fleet)
    : Search(stream, fleet), stream_(std::move(stream)) {}

void MiningSearch::set_job(std::shared_ptr<const MiningJob> job) { stream_->set_job(std::move(job)); }

}  // namespace gpuminer
