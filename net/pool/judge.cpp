#include "net/pool/judge.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "host/text/text.hpp"

namespace gpuminer::net {

void PoolJudge::begin(std::size_t pool) {
    pool_ = pool;
    worked_ = false;
    refusals_ = 0;
}

void PoolJudge::has_worked() {
    if (!std::exchange(worked_, true)) schedule_.worked(pool_);
}

std::optional<PoolJudge::Misreading> PoolJudge::find_misreading(const StratumShare& share, const ShareReply& reply) {
    if (reply.verdict == SubmitVerdict::kAccepted) schedule_.accepted(pool_, share);
    if (reply.kind != RefusalKind::kLowDifficulty || reply.outdated) return std::nullopt;
    const VersionRolling before = schedule_.rolling(pool_);
    const auto rolling = schedule_.misread(pool_, share);
    if (!rolling) return std::nullopt;
    refusals_ = 0;
    const std::string change =
        rolling->within != before.within
            ? fmt::format("sending only those of BIP 320 ({}) from now on", hex8(kAskedVersionBits))
        : rolling->form == VersionBits::kChanged ? "sending only changed bits from now on"
                                                 : "versions are no longer rolled for it";
    return Misreading{*rolling, "the pool seems to misread version bits; " + change};
}

std::optional<std::string> PoolJudge::count_refusal(const ShareReply& reply, SteadyTime now) {
    constexpr unsigned kMostRefusals = 20;
    if (reply.verdict == SubmitVerdict::kAccepted) {
        refusals_ = 0;
        schedule_.takes_shares(pool_);
        return std::nullopt;
    }
    if (reply.verdict == SubmitVerdict::kStale || reply.kind == RefusalKind::kDuplicate || reply.outdated)
        return std::nullopt;
    if (++refusals_ != kMostRefusals) return std::nullopt;
    // A ban, perhaps, which more of them would make longer.
    const std::chrono::minutes pause = schedule_.refuses_shares(pool_, now);
    return fmt::format("the pool has refused {} shares in a row, the last one as {}; it is not used for {} min",
                       kMostRefusals, quoted_text(reply.reason, 100), pause.count());
}

}  // namespace gpuminer::net
