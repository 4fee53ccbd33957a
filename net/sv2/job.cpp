#include "net/sv2/job.hpp"

#include <utility>

namespace gpuminer::net::sv2 {

bool StandardNotify::same_work(const StratumNotify& other) const {
    const auto* same = dynamic_cast<const StandardNotify*>(&other);
    return same != nullptr && same_fields(other) && merkle_root == same->merkle_root;
}

StandardJob::StandardJob(std::shared_ptr<const StandardNotify> notify, JobParameters parameters,
                         const StratumJob* continues)
    : StratumJob(notify, std::move(parameters), continues), notify_(std::move(notify)) {}

BlockHeader StandardJob::make_header(std::uint64_t number) const {
    BlockHeader header;
    header.set_version(notify_->version);
    header.set_previous_hash(notify_->previous_hash);
    header.set_merkle_root(notify_->merkle_root);
    header.set_time(notify_->time + static_cast<std::uint32_t>(number));
    header.set_nbits(notify_->nbits);
    return header;
}

bool StandardJob::is_due(std::uint64_t number) const { return number <= static_cast<std::uint64_t>(age().count()); }

}  // namespace gpuminer::net::sv2
