#include "net/pool/share_submitter.hpp"

#include <utility>

#include <fmt/format.h>

#include "host/block/checker.hpp"
#include "net/pool/job.hpp"

namespace gpuminer::net {
namespace {

// Shares of an earlier connection under way at once: thousands of them, as a journal may have, would be more than a
// connection keeps for a pool that takes them slowly.
constexpr std::size_t kMostRepeated = 100;

SteadyTime now() { return std::chrono::steady_clock::now(); }

}  // namespace

ShareSubmitter::ShareSubmitter(const PoolOptions& options, const PoolTiming& timing, Journal& journal, PoolStats& stats,
                               Say say)
    : options_(options),
      timing_(timing),
      stats_(stats),
      say_(std::move(say)),
      book_(journal, options.pools, [this](const std::string& sentence) { say_(Severity::kWarning, sentence); }) {
    count_waiting();
}

void ShareSubmitter::take(const JobHit& found, PoolConnection* session) {
    const auto* job = dynamic_cast<const PoolJob*>(found.job.get());
    if (job == nullptr || enough()) return;
    const Checked checked = check(found.hit.header, job->target());
    if (checked.verdict != Verdict::hit) {
        return say_(Severity::kWarning,
                    fmt::format("a find is not sent: its hash {} is above the target", checked.hash.hex()));
    }
    stats_.found(checked.hash);
    StratumShare share = job->work()->share({job->work(), found.index, found.hit});
    if (session != nullptr && session->pool() != job->pool()) session = nullptr;
    const bool same_connection = session != nullptr && session->number() == job->connection();
    if (same_connection) {
        const Submitted outcome = session->stratum().assess(share);
        if (outcome == Submitted::kDuplicate) return;
        if (outcome == Submitted::kStale) {
            stats_.stale(job->pool());
            return say_(Severity::kInfo, "stale: a share was found just after its job had ended");
        }
    }
    if (share.solves_block) say_(Severity::kInfo, fmt::format("BLOCK FOUND: {}", checked.hash.hex()));
    book_.add(job->pool(), job->connection(), std::move(share), found.hit.header.hex());
    if (session != nullptr) send_waiting(*session);
    count_waiting();
}

// A share of an earlier connection counts on this one only if its extranonce is the same.
bool ShareSubmitter::is_late(const BookedShare& booked, const PoolConnection& session) const {
    const Subscription& current = session.subscription();
    return booked.connection != session.number() && !booked.share.solves_block &&
           (booked.share.extranonce1 != current.extranonce1 ||
            booked.share.extranonce2.size() != std::size_t{2} * current.extranonce2_size);
}

bool ShareSubmitter::must_wait(const PoolConnection& session) const {
    if (!options_.single_submit) return false;
    const auto last = book_.last_sent(session.number());
    return last && now() - *last < timing_.single_submit;
}

void ShareSubmitter::send_waiting(PoolConnection& session) {
    const std::size_t pool = session.pool();
    // A reply that does not come holds the others up as long as with --single-submit.
    std::size_t repeated = book_.repeated(session.number(), now() - timing_.single_submit);
    for (BookedShare* booked : book_.unsent(pool)) {
        if (!session.stratum().ready() || must_wait(session) || enough()) break;
        if (is_late(*booked, session)) {
            stats_.stale(pool);
            book_.drop(*booked, "found for a session that has ended");
            continue;
        }
        const bool again = booked->connection != session.number();
        if (again && repeated >= kMostRepeated) continue;
        const Submission submission = session.stratum().submit(booked->share, now(), again);
        if (submission.outcome == Submitted::kNotYet) break;
        if (submission.outcome == Submitted::kSent) {
            book_.sent(*booked, session.number(), submission.id, now());
            if (again) ++repeated;
        } else if (submission.outcome == Submitted::kStale) {
            stats_.stale(pool);
            book_.drop(*booked, "stale");
        } else {
            book_.drop(*booked, "sent already");
        }
    }
    count_waiting();
}

void ShareSubmitter::answered(PoolConnection& session, std::uint64_t request, const ShareReply& answer) {
    const auto answered = book_.answered(session.number(), request, answer, now());
    if (!answered) return;
    const StratumShare& share = answered->share.share;
    const ShareResult result = answered->accepted ? ShareResult::kAccepted
                               : answer.stale     ? ShareResult::kStale
                                                  : ShareResult::kRejected;
    if (answered->accepted) {
        ++accepted_;
        if (share.solves_block) ++blocks_;
    }
    stats_.answered(session.pool(), result, share, answer.reason, answered->latency_ms);
    tell(*answered, answer);
    send_waiting(session);
}

void ShareSubmitter::tell(const AnsweredShare& answered, const ShareReply& answer) {
    const StratumShare& share = answered.share.share;
    if (answered.accepted) {
        say_(Severity::kInfo, fmt::format("accepted {} (difficulty {:.4g}, {:.0f} ms{}){}", accepted_, share.difficulty,
                                          answered.latency_ms, answered.share.again ? ", sent again" : "",
                                          share.solves_block ? "; IT SOLVES A BLOCK" : ""));
    } else if (share.solves_block) {
        say_(Severity::kWarning,
             fmt::format("rejected, though it SOLVES A BLOCK ({}): {}", share.hash.hex(), answer.reason));
    } else if (answer.stale) {
        say_(Severity::kInfo, fmt::format("stale: {}", answer.reason));
    } else {
        say_(Severity::kWarning, fmt::format("rejected: {}", answer.reason));
    }
}

void ShareSubmitter::subscribed(std::size_t pool, const Subscription& subscription) {
    book_.subscribed(pool, subscription);
    count_waiting();
}

void ShareSubmitter::connection_lost(std::uint64_t connection) { book_.connection_lost(connection); }

bool ShareSubmitter::idle(const PoolConnection& session) {
    return book_.under_way(session.number()) == 0 && (enough() || book_.unsent(session.pool()).empty());
}

bool ShareSubmitter::enough() const {
    return (options_.shares && accepted_ >= *options_.shares) || (options_.blocks && blocks_ >= *options_.blocks);
}

void ShareSubmitter::count_waiting() { stats_.waiting(book_.waiting(), book_.resent()); }

}  // namespace gpuminer::net
