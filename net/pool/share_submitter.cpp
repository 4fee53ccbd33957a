#include "net/pool/share_submitter.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "host/block/checker.hpp"
#include "host/text/format.hpp"
#include "net/pool/messages.hpp"
#include "net/stratum/dialect.hpp"
#include "net/stratum/job.hpp"

namespace gpuminer::net {
namespace {

// Shares of an earlier connection in flight at once: thousands of them, as a journal may have, would be more than a
// connection keeps for a pool that takes them slowly.
constexpr std::size_t kMostRepeated = 100;
// In flight at once, of those that were sent lately.
constexpr std::size_t kMostInFlight = 1'000;

constexpr std::chrono::seconds kSumsEvery{10};

}  // namespace

ShareSubmitter::ShareSubmitter(const PoolOptions& options, const PoolTiming& timing, Journal& journal, PoolStats& stats,
                               Say say)
    : options_(options),
      timing_(timing),
      stats_(stats),
      say_(say),
      say_reply_(100, 1, std::move(say)),
      pending_(journal, options.pools, *options.algorithm) {
    count_waiting();
}

bool ShareSubmitter::take(const JobHit& found, PoolConnection* connection) {
    // The search hands back the job that it was given as what it is to the search; here it is a pool's again.
    const auto* job = dynamic_cast<const StratumJob*>(found.job.get());
    if (job == nullptr || enough()) return false;
    const Checked checked = check(found.hit.header, job->target());
    if (checked.verdict != Verdict::hit) {
        say_(Severity::kWarning,
             fmt::format("a find is not sent: its hash {} is above the target", checked.hash.hex()));
        return false;
    }
    StratumShare share = job->share(found);
    const JobOrigin origin = job->origin();
    if (connection != nullptr && connection->pool() != origin.pool) connection = nullptr;
    if (connection != nullptr && connection->number() == origin.connection) {
        const SubmitDecision decision = connection->session().assess(share);
        if (decision == SubmitDecision::kDuplicate) return false;
        if (decision == SubmitDecision::kStale) {
            stats_.stale(origin.pool);
            say_(Severity::kInfo, "stale: a share was found just after its job had ended");
            return false;
        }
        if (decision == SubmitDecision::kTooEasy) return false;  // found just before its job became harder
    }
    if (share.solves_block) say_(Severity::kInfo, fmt::format("BLOCK FOUND: {}", checked.hash.hex()));
    pending_.add(origin, std::move(share), found.hit.header.hex());
    if (connection != nullptr) send_waiting(*connection);
    count_waiting();
    const ShareFlood::Step step = flood_.found(steady_now());
    follow(step);
    return step == ShareFlood::Step::kSuggest;
}

void ShareSubmitter::follow(ShareFlood::Step step) {
    pending_.set_summing(flood_.summing());
    if (step == ShareFlood::Step::kSum) {
        sums_written_ = steady_now();
        say_(Severity::kWarning, fmt::format("shares still come every {:.3g} ms: from now on the journal gets one "
                                             "entry per {} s for all of them, and they would not survive a crash ({})",
                                             flood_.interval() * 1000, kSumsEvery.count(),
                                             where_to_ask(dialect_of(*options_.algorithm).suggests_difficulty)));
    } else if (step == ShareFlood::Step::kOver) {
        write_sums();
        say_(Severity::kInfo, "shares come more slowly: each gets its own journal entry again");
    }
}

void ShareSubmitter::tick() {
    follow(flood_.tick(steady_now()));
    if (flood_.summing() && steady_now() - sums_written_ >= kSumsEvery) write_sums();
}

void ShareSubmitter::write_sums() {
    sums_written_ = steady_now();
    const ShareSums sums = pending_.write_sums();
    say_(Severity::kInfo,
         fmt::format("very many shares: {} found, {} accepted, {} refused", sums.shares, sums.accepted, sums.refused));
}

void ShareSubmitter::take_up() {
    pending_.take_up();
    count_waiting();
}

// A share of an earlier connection counts on this one only if its extranonce is the same.
bool ShareSubmitter::is_late(const PendingShare& pending, const PoolConnection& connection) const {
    const Subscription& current = connection.subscription();
    return pending.origin.connection != connection.number() && !pending.share.solves_block &&
           (pending.share.extranonce1 != current.extranonce1 ||
            pending.share.extranonce2.size() != std::size_t{2} * current.extranonce2_size);
}

bool ShareSubmitter::must_wait(const PoolConnection& connection) const {
    if (!options_.single_submit || !connection.session().answers_each_share()) return false;
    const auto last = pending_.last_sent(connection.number());
    return last && steady_now() - *last < timing_.wait_for_reply;
}

void ShareSubmitter::send_waiting(PoolConnection& connection) {
    // A reply that does not come holds the others up as long as with --single-submit.
    const SteadyTime lately = steady_now() - timing_.wait_for_reply;
    std::size_t repeated = pending_.repeated(connection.number(), lately);
    std::size_t in_flight = pending_.lately_sent(connection.number(), lately);
    const JournalTicket released = pending_.journal().released();
    for (PendingShare* pending : pending_.unsent(connection.pool())) {
        if (!connection.session().ready() || must_wait(connection) || enough()) break;
        if (is_late(*pending, connection)) {
            stats_.stale(connection.pool());
            pending_.drop(*pending, "found for a session that has ended");
            continue;
        }
        const bool again = pending->origin.connection != connection.number();
        if (again && repeated >= kMostRepeated) continue;
        if (pending->written > released || (in_flight >= kMostInFlight && !pending->share.solves_block)) continue;
        if (!send(*pending, connection, again)) continue;
        ++in_flight;
        if (again) ++repeated;
    }
    count_waiting();
}

bool ShareSubmitter::send(PendingShare& pending, PoolConnection& connection, bool again) {
    if (const auto request = connection.submit(pending.share, again)) {
        pending_.sent(pending, connection.number(), *request, steady_now());
        return true;
    }
    switch (connection.session().assess(pending.share, again)) {
        case SubmitDecision::kStale:
            stats_.stale(connection.pool());
            pending_.drop(pending, "stale");
            break;
        case SubmitDecision::kDuplicate: pending_.drop(pending, "sent already"); break;
        case SubmitDecision::kTooEasy: pending_.drop(pending, "below the difficulty now in force"); break;
        case SubmitDecision::kNotYet:
        case SubmitDecision::kSend: break;
    }
    return false;
}

std::optional<AnsweredShare> ShareSubmitter::replied(PoolConnection& connection, std::uint64_t request,
                                                     const ShareReply& reply) {
    auto answered = pending_.replied(connection.number(), request, reply, steady_now());
    if (!answered) return answered;
    if (answered->reply.verdict == SubmitVerdict::kAccepted) {
        ++accepted_;
        answered->is_block = answered->pending.share.solves_block && is_first_block(answered->pending.share.previous);
        if (answered->is_block) ++blocks_;
    } else {
        ++rejected_;  // stale ones, too: it is what the line of an accepted one is to say
    }
    stats_.replied(connection.pool(), *answered, pending_.waiting());
    tell(*answered);
    send_waiting(connection);
    return answered;
}

bool ShareSubmitter::is_first_block(const Hash256& previous) {
    constexpr std::size_t kKept = 64;
    if (std::ranges::find(built_on_, previous) != built_on_.end()) return false;
    built_on_.push_back(previous);
    if (built_on_.size() > kKept) built_on_.pop_front();
    return true;
}

void ShareSubmitter::tell(const AnsweredShare& answered) {
    const StratumShare& share = answered.pending.share;
    const ShareReply& reply = answered.reply;
    if (answered.pending.summed && !share.solves_block) return;
    const auto say = [&](Severity severity, const std::string& sentence) {
        share.solves_block ? say_(severity, sentence) : say_reply_.say(severity, sentence, steady_now());
    };
    if (reply.verdict == SubmitVerdict::kAccepted) {
        say(options_.tell_shares || share.solves_block ? Severity::kSuccess : Severity::kDebug,
            fmt::format("accepted ({}/{}) diff {} of {} ({:.0f} ms{}){}", accepted_, rejected_,
                        compact_difficulty(difficulty_of(share.hash)), compact_difficulty(share.difficulty),
                        answered.latency_ms, answered.pending.again ? ", sent again" : "",
                        answered.is_block ? "; IT SOLVES A BLOCK" : ""));
    } else if (share.solves_block) {
        say(Severity::kRefusal,
            fmt::format("{}, though it SOLVES A BLOCK ({}): {}",
                        reply.verdict == SubmitVerdict::kStale ? "stale" : "rejected", share.hash.hex(), reply.reason));
    } else if (reply.verdict == SubmitVerdict::kStale) {
        say(Severity::kInfo, fmt::format("stale: {}", reply.reason));
    } else {
        say(Severity::kRefusal, fmt::format("rejected: {}", reply.reason));
    }
}

void ShareSubmitter::subscribed(std::size_t pool, const Subscription& subscription) {
    pending_.subscribed(pool, subscription);
    count_waiting();
}

void ShareSubmitter::connection_lost(std::uint64_t connection) { pending_.connection_lost(connection); }

bool ShareSubmitter::idle(const PoolConnection& connection) {
    return pending_.in_flight(connection.number()) == 0 && (enough() || pending_.unsent(connection.pool()).empty());
}

bool ShareSubmitter::enough() const {
    return (options_.shares && accepted_ >= *options_.shares) || (options_.blocks && blocks_ >= *options_.blocks);
}

void ShareSubmitter::count_waiting() { stats_.waiting(pending_.waiting(), pending_.resent()); }

}  // namespace gpuminer::net
