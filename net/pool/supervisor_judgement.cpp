// PoolSupervisor: a pool's answers to shares, and the pool's judgement by them.
#include <chrono>

#include <fmt/format.h>

#include "host/text/text.hpp"
#include "net/pool/suggested_difficulty.hpp"
#include "net/pool/supervisor.hpp"

namespace gpuminer::net {

void PoolSupervisor::judge_current(bool accepted) {
    const bool lasted =
        current_->session().current_job() && steady_now() - *current_->logged_in_at() >= timing_.trust_after;
    if (worked_ || !(lasted || accepted)) return;
    worked_ = true;
    selector_.schedule().worked(current_->pool());
}

// Each share was checked before it was sent: a hash above the target is that of another header, most likely of another
// version.
void PoolSupervisor::look_for_misread_version(const AnsweredShare& answered) {
    const StratumShare& share = answered.pending.share;
    const std::size_t pool = current_->pool();
    if (answered.reply.verdict == SubmitVerdict::kAccepted) selector_.schedule().accepted(pool, share);
    if (answered.reply.kind != RefusalKind::kLowDifficulty || answered.reply.outdated) return;
    const VersionRolling before = selector_.schedule().rolling(pool);
    const auto rolling = selector_.schedule().misread(pool, share);
    if (!rolling) return;
    const std::string change =
        rolling->within != before.within
            ? fmt::format("sending only those of BIP 320 ({}) from now on", hex8(kAskedVersionBits))
        : rolling->form == VersionBits::kChanged ? "sending only changed bits from now on"
                                                 : "versions are no longer rolled for it";
    say(Severity::kWarning,
        fmt::format("{}: the pool seems to misread version bits; {}", current_->url().text, change));
    refusals_ = 0;
    current_->set_rolling(*rolling);
    if (const auto job = current_->session().current_job()) new_job(*current_, job);
}

std::optional<ConnectionEnded> PoolSupervisor::count_refusal(const PoolConnection& connection,
                                                             const ShareReply& reply) {
    constexpr unsigned kMostRefusals = 20;
    if (reply.verdict == SubmitVerdict::kAccepted) {
        refusals_ = 0;
        selector_.schedule().takes_shares(connection.pool());
        return std::nullopt;
    }
    if (reply.verdict == SubmitVerdict::kStale || reply.kind == RefusalKind::kDuplicate || reply.outdated)
        return std::nullopt;
    if (++refusals_ != kMostRefusals) return std::nullopt;
    // A ban, perhaps, which more of them would make longer.
    const std::chrono::minutes pause = selector_.schedule().refuses_shares(connection.pool(), steady_now());
    return ConnectionEnded{
        ConnectionEnded::Cause::kFailed,
        fmt::format("{}: the pool has refused {} shares in a row, the last one as {}; it is not used for {} min",
                    connection.url().text, kMostRefusals, quoted_text(reply.reason, 100), pause.count())};
}

void PoolSupervisor::ask_for_more_difficulty() {
    if (!current_ || !selector_.schedule().takes_extensions(current_->pool())) return;
    if (!dialect_.suggests_difficulty) return;
    const auto job = current_->session().current_job();
    if (!job) return;
    const double difficulty = difficulty_for(job->difficulty(), shares_.interval(), hash_rate());
    say(Severity::kWarning,
        fmt::format("shares come every {:.3g} ms: {} is asked for difficulty {:.4g} in place of {:.4g}",
                    shares_.interval() * 1000, current_->url().text, difficulty, job->difficulty()));
    current_->set_suggested_difficulty(difficulty, true);
}

}  // namespace gpuminer::net
