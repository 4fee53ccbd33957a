#include "host/search/worker.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>
#include <vector>

#include "host/block/algorithm.hpp"
#include "host/block/checker.hpp"
#include "host/threads.hpp"

namespace gpuminer {

namespace {

/// The first unit is small, so that an easy job ends at once; each next one is twice as large.
constexpr std::uint64_t kFirstUnitHashes = 4096;
/// No unit takes longer than this, whatever the device's batch: stopping takes effect between units, and a new job is
/// to reach every device within 100 ms.
constexpr double kLongestUnitSeconds = 0.05;
constexpr std::uint64_t kAllNonces = std::uint64_t{1} << 32;
/// With so many wrong candidates nothing that the device did is trusted any more.
constexpr std::uint64_t kWrongCandidatesLimit = 3;

/// The device computes wrongly: what it searched before has to be searched again.
struct Untrusted : DeviceError {
    using DeviceError::DeviceError;
};

/// The device returned when the search had given it up.
struct Late {};

using Clock = threads::Clock;

}  // namespace

Worker::Worker(std::shared_ptr<SearchContext> context, WatchedDevice& device, std::size_t index)
    : context_(std::move(context)),
      device_(device),
      index_(index),
      ramp_hashes_(kFirstUnitHashes),
      max_nonces_(kAllNonces),
      hashes_per_second_(std::numeric_limits<double>::infinity()) {
    report_.info = device.info();
}

void Worker::run() noexcept {
    try {
        if (context_->partition.stopped()) return;  // it was over before this device began
        if (const auto reason = device_.prove()) return quarantine(*reason, false);
        while (auto unit = context_->partition.take(index_, next_unit_nonces(), speed())) {
            if (!hold(*unit)) return;
            if (job_changed()) shorten(*unit);
            search(*unit);
        }
    } catch (const Late&) {
    } catch (const Untrusted& error) {
        quarantine(error.what(), true);
    } catch (const std::exception& error) {
        quarantine(error.what(), false);
    } catch (...) {
        quarantine("it failed without giving a reason", false);
    }
}

void Worker::quarantine(const std::string& reason, bool distrust) {
    const MutexLock lock(mutex_);
    if (!out_) return quarantine_locked(reason, distrust);
    if (report_.failure.empty()) report_.failure = reason;  // for searches to come
}

void Worker::quarantine_locked(const std::string& reason, bool distrust) {
    report_.failure = reason;
    context_->notices.add(Severity::kWarning, report_.info.name + " is quarantined: " + reason);
    context_->partition.quarantine(index_, std::exchange(held_, std::nullopt), distrust);
}

void Worker::give_up(const std::string& reason) {
    const MutexLock lock(mutex_);
    if (std::exchange(out_, true)) return;
    quarantine_locked(reason, false);
}

void Worker::abandon() {
    const MutexLock lock(mutex_);
    out_ = true;
}

DeviceReport Worker::report() const {
    const MutexLock lock(mutex_);
    DeviceReport report = report_;
    const NonceRange piece = context_->partition.piece(index_);
    // Without a piece of its own: start > end.
    report.start = piece.count == 0 ? 1 : piece.first;
    report.end = piece.count == 0 ? 0 : static_cast<std::uint32_t>(piece.first + (piece.count - 1));
    return report;
}

std::string Worker::failure() const {
    const MutexLock lock(mutex_);
    return report_.failure;
}

/// False: the search goes on without this worker, and others get the unit.
bool Worker::hold(const WorkUnit& unit) {
    const MutexLock lock(mutex_);
    if (out_) {
        context_->partition.give_back(index_, unit, false);
    } else {
        held_ = unit;
    }
    return !out_;
}

/// Another job came while the worker waited for its unit, which was measured for the one before.
bool Worker::job_changed() const { return context_->source->generation() != generation_; }

/// Keeps as much of the held unit as suits its job.
void Worker::shorten(WorkUnit& unit) {
    if (!prepare_job(unit.group)) return;
    WorkUnit rest = unit;
    const WorkUnit front = rest.cut_front(next_unit_nonces());
    const MutexLock lock(mutex_);
    if (rest.nonces.count == 0 || out_) return;
    context_->partition.give_back(index_, rest, false);
    held_ = unit = front;
}

/// Searches the held unit, in parts where its candidates do not fit into one result.
void Worker::search(const WorkUnit& unit) {
    if (!prepare_job(unit.group)) return put_back();
    context_->budget.charge(unit.nonces.count * job_->versions().size());
    for (WorkUnit rest = unit; rest.nonces.count > 0;) {
        if (context_->partition.stopped()) return put_back();
        WorkUnit after = rest;
        const WorkUnit part = after.cut_front(max_nonces_);
        result_.clear();
        const auto before = Clock::now();
        device_.scan(*job_, part.nonces, result_);
        if (!fits(part, seconds_since(before))) continue;
        const bool all_checked = check_candidates(part);

        const MutexLock lock(mutex_);
        if (out_) throw Late{};
        const std::uint64_t hashes = part.nonces.count * job_->versions().size();
        count(hashes);  // at a stop, too: hits are among them
        book(part, all_checked);
        hashes_per_second_ = static_cast<double>(hashes) / std::max(seconds_since(before), 1e-9);
        held_ = rest = after;
    }
    const MutexLock lock(mutex_);
    held_.reset();
}

/// The held unit's rest is not searched.
void Worker::put_back() {
    const MutexLock lock(mutex_);
    if (out_) throw Late{};
    context_->partition.give_back(index_, *std::exchange(held_, std::nullopt), false);
}

/// False: there are more candidates than the latest scan's result has room for, and the next part is to be smaller.
bool Worker::fits(const WorkUnit& part, double scan_seconds) {
    const MutexLock lock(mutex_);
    if (out_) throw Late{};
    report_.seconds += scan_seconds;
    if (!result_.candidates.overflow()) return true;
    if (part.nonces.count == 1) throw Untrusted("it reported more candidates than it was given nonces");
    max_nonces_ = part.nonces.count / 2;
    return false;
}

/// Checks the candidates of the latest scan, with no lock held, as a checker may take its time. False: a stop came, and
/// some are not checked. (A stop waits for some, so that it does not lose a block that was just found.)
bool Worker::check_candidates(const WorkUnit& part) {
    candidates_ = result_.candidates.items();
    std::ranges::sort(candidates_, {}, [](const Candidate& c) { return std::pair(c.version_index, c.nonce); });
    checked_.clear();
    std::uint64_t wrong = 0;
    const auto before = Clock::now();
    while (checked_.size() < candidates_.size()) {
        if (context_->partition.stopped() && seconds_since(before) > kLongestUnitSeconds) return false;
        const Candidate& candidate = candidates_[checked_.size()];
        checked_.push_back(is_of(part, candidate) ? check(header_of(candidate), group_->target) : Checked{});
        const Verdict verdict = checked_.back().verdict;
        if (verdict == Verdict::wrong && ++wrong == kWrongCandidatesLimit) return true;
        if (verdict == Verdict::hit && group_->first_hit_only) return true;
    }
    return true;
}

bool Worker::is_of(const WorkUnit& part, const Candidate& candidate) const {
    // Wraps for a nonce below the range, which then is not below the count either.
    const std::uint32_t offset = candidate.nonce - part.nonces.first;
    return offset < part.nonces.count && candidate.version_index < group_->versions.size();
}

BlockHeader Worker::header_of(const Candidate& candidate) const {
    return group_->header.with_version(group_->versions[candidate.version_index]).with_nonce(candidate.nonce);
}

/// Of what is checked. Where it is not, other candidates may be missing.
bool Worker::all_right() const {
    return std::ranges::find(checked_, Verdict::wrong, &Checked::verdict) == checked_.end();
}

void Worker::count(std::uint64_t hashes) {
    report_.hashes += hashes;
    report_.cycles.merge(result_.cycles);
    if (!result_.news.empty()) context_->notices.add(Severity::kInfo, report_.info.name + " " + result_.news);
    context_->hashes_done.fetch_add(hashes, std::memory_order_relaxed);
}

/// Hands over the hits of the latest scan, and what it has searched. `all_checked`: else that is nothing.
void Worker::book(const WorkUnit& part, bool all_checked) {
    const bool can_be_met = group_->target != Hash256{};  // unlike that of a warm-up
    for (std::size_t i = 0; i < checked_.size(); ++i) {
        const auto& [verdict, hash] = checked_[i];
        if (verdict == Verdict::wrong) {
            count_wrong(candidates_[i]);
            continue;
        }
        if (can_be_met) context_->best.offer(hash);
        if (verdict != Verdict::hit) continue;
        const BlockHeader header = header_of(candidates_[i]);
        group_->found({header.version(), candidates_[i].nonce, hash, header});
    }
    if (all_checked && all_right()) {
        context_->partition.complete(index_, part);
    } else {
        context_->partition.give_back(index_, part, !all_right());
    }
}

void Worker::count_wrong(const Candidate& candidate) {
    ++report_.wrong_candidates;
    const std::string what = "a wrong candidate (nonce " + std::to_string(candidate.nonce) + ")";
    if (report_.wrong_candidates >= kWrongCandidatesLimit) {
        throw Untrusted("it returned " + what + ", the third one" +
                        (context_->partition.endless() ? "" : "; everything that it searched is searched again"));
    }
    context_->notices.add(Severity::kWarning,
                          report_.info.name + " returned " + what + "; its range is searched again");
}

std::uint64_t Worker::next_unit_nonces() {
    std::uint64_t group_size = group_ ? group_->versions.size() : context_->source->group_size();
    if (const std::uint64_t generation = context_->source->generation(); generation != generation_) {
        generation_ = generation;
        group_size = context_->source->group_size();  // at most: its first unit is yet to come
        // The new job may be an easier one, or a harder one.
        ramp_hashes_ = kFirstUnitHashes;
        max_nonces_ = kAllNonces;
    }
    const std::uint64_t batch = std::max<std::uint64_t>(device_.batch(), 1);
    const double fastest = hashes_per_second_ * kLongestUnitSeconds;
    std::uint64_t hashes = std::min(batch, ramp_hashes_);
    if (fastest < static_cast<double>(hashes)) {
        // But not ever smaller where each scan takes its time whatever its size.
        hashes = std::min(hashes, std::max(kFirstUnitHashes, static_cast<std::uint64_t>(fastest)));
    }
    if (ramp_hashes_ < batch) ramp_hashes_ *= 2;
    hashes = std::min(hashes, context_->budget.unit_hashes());
    return std::clamp<std::uint64_t>(hashes / group_size, 1, max_nonces_);
}

/// Hashes per second, of the latest unit; 0: none yet.
double Worker::speed() const { return std::isfinite(hashes_per_second_) ? hashes_per_second_ : 0; }

/// False: the group's job is over.
bool Worker::prepare_job(std::uint64_t group) {
    if (job_ && group_number_ == group) return true;
    std::optional<VersionGroup> next = context_->source->group(group);
    if (!next) return false;
    group_ = std::move(next);
    // The new job is made before the old one goes, so that a device can tell them apart by address.
    job_ = group_->header.algorithm->make_job(group_->header, group_->versions, group_->target.top_word());
    group_number_ = group;
    return true;
}

}  // namespace gpuminer
