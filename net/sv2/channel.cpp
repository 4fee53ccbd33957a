#include "net/sv2/channel.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "host/block/hash256.hpp"
#include "host/search/version_space.hpp"
#include "host/text/text.hpp"
#include "net/stratum/bitcoin.hpp"
#include "net/stratum/message.hpp"
#include "net/sv2/job.hpp"

namespace gpuminer::net::sv2 {

std::shared_ptr<const StratumJob> Channel::take(const NewMiningJob& message, SteadyTime now) {
    if (terms_.extended) throw ProtocolError("NewMiningJob: it came on an extended channel");
    auto notify = std::make_shared<StandardNotify>();
    notify->version = message.version;
    notify->merkle_root = message.merkle_root;
    return take({message.job, std::move(notify), terms_.extranonce, source_.rolls_versions}, message.min_time, now);
}

std::shared_ptr<const StratumJob> Channel::take(const NewExtendedMiningJob& message, SteadyTime now) {
    auto notify = std::make_shared<BitcoinNotify>();
    notify->version = message.version;
    notify->coinbase1 = message.coinbase_prefix.bytes;
    notify->coinbase2 = message.coinbase_suffix.bytes;
    notify->branches = message.merkle_path;
    const bool rolls_versions = source_.rolls_versions && message.version_rolling_allowed;
    return take({message.job, std::move(notify), terms_.extranonce, rolls_versions}, message.min_time, now);
}

std::shared_ptr<const StratumJob> Channel::take(Waiting job, const std::optional<std::uint32_t>& min_time,
                                                SteadyTime now) {
    if (min_time) {
        if (!previous_) throw ProtocolError(fmt::format("job {} is for now, but no SetNewPrevHash came", job.job));
        return make_job(job, *min_time, false, now);
    }
    std::erase_if(waiting_, [&](const Waiting& other) { return other.job == job.job; });
    waiting_.push_back(std::move(job));
    if (waiting_.size() > kMostWaiting) waiting_.pop_front();
    return nullptr;
}

std::shared_ptr<const StratumJob> Channel::take(const SetNewPrevHash& message, SteadyTime now) {
    if (!is_target(message.nbits)) {
        throw ProtocolError(fmt::format("SetNewPrevHash: nBits {} are no target", hex8(message.nbits)));
    }
    previous_ = message;
    const auto waiting = std::exchange(waiting_, {});
    const auto named = std::ranges::find(waiting, message.job, &Waiting::job);
    return named == waiting.end() ? nullptr : make_job(*named, message.min_time, true, now);
}

std::shared_ptr<const StratumJob> Channel::make_job(const Waiting& job, std::uint32_t min_time, bool clean,
                                                    SteadyTime now) const {
    StratumNotify& notify = *job.notify;
    notify.id = std::to_string(job.job);
    notify.previous_hash = previous_->previous_hash;
    notify.nbits = previous_->nbits;
    notify.time = min_time;
    notify.clean = clean;

    JobParameters parameters;
    parameters.origin = source_.origin;
    parameters.extranonce1 = job.extranonce.extranonce1;
    parameters.extranonce2_size = job.extranonce.extranonce2_size;
    parameters.difficulty = terms_.work.difficulty;
    parameters.target = terms_.work.target;
    parameters.version_mask = job.rolls_versions ? kBip323Mask : 0;
    parameters.v2 = true;
    parameters.received = now;
    parameters.clock = source_.clock;
    parameters.first_extranonce2 = source_.recent_work->first_extranonce2();

    const auto earlier = source_.recent_work->find(notify, parameters);
    std::shared_ptr<const StratumJob> made;
    if (auto standard = std::dynamic_pointer_cast<const StandardNotify>(job.notify)) {
        made = std::make_shared<const StandardJob>(std::move(standard), std::move(parameters), earlier.get());
    } else {
        made = std::make_shared<const BitcoinJob>(std::dynamic_pointer_cast<const BitcoinNotify>(job.notify),
                                                  std::move(parameters), earlier.get());
    }
    source_.recent_work->add(made);
    return made;
}

}  // namespace gpuminer::net::sv2
