#include "net/stratum/recent_work.hpp"

#include <algorithm>
#include <utility>

namespace gpuminer::net {

std::shared_ptr<const StratumJob> RecentWork::find(const StratumNotify& notify, const JobParameters& parameters) const {
    const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) {
        return job->notify().same_work(notify) && job->parameters().same_space(parameters);
    });
    return found == jobs_.end() ? nullptr : *found;
}

void RecentWork::add(std::shared_ptr<const StratumJob> job) {
    std::erase(jobs_, find(job->notify(), job->parameters()));
    jobs_.push_back(std::move(job));
    if (jobs_.size() > kMost) jobs_.pop_front();
}

}  // namespace gpuminer::net
