// Search loop of one device: takes units of work, has the device scan them, checks every candidate. Whatever the device
// throws in its first self-test or in a scan of a search ends here, as the reason of its quarantine. Beside it: what
// the workers of a search share, and the device as a watchdog sees it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/backend.h"
#include "host/block/checker.hpp"
#include "host/block/hash256.hpp"
#include "host/mutex.hpp"
#include "host/notices.hpp"
#include "host/search/partition.hpp"
#include "host/search/self_test.hpp"
#include "host/search/work_source.hpp"

namespace gpuminer {

/// The lowest hash of a search. From any thread.
class BestHash {
public:
    void offer(const Hash256& hash) {
        const MutexLock lock(mutex_);
        if (!best_ || hash <= *best_) best_ = hash;
    }
    /// Empty: none was offered.
    [[nodiscard]] std::optional<Hash256> get() const {
        const MutexLock lock(mutex_);
        return best_;
    }

private:
    mutable Mutex mutex_;
    std::optional<Hash256> best_ GPUMINER_GUARDED_BY(mutex_);
};

/// What the workers of one search share. A device that hangs may keep its worker, and this, beyond the search's end.
/// Each member locks for itself.
struct SearchContext {
    explicit SearchContext(std::shared_ptr<WorkSource> work_source)
        : source(std::move(work_source)), partition(source->partition()) {}

    const std::shared_ptr<WorkSource> source;
    Partition& partition;  ///< the source's
    HashBudget budget{partition};
    Notices notices;
    BestHash best;  ///< of the candidates, whether they meet their target or not
    std::atomic<std::uint64_t> hashes_done = 0;
};

/// Counts its calls, so that a watchdog sees whether it is inside one, and for how long the same one.
class WatchedDevice final : public Device {
public:
    explicit WatchedDevice(std::unique_ptr<Device> device)
        : device_(std::move(device)), info_(device_->info()), can_hang_(device_->can_hang()) {}

    // Constant, and so for any thread:
    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    [[nodiscard]] bool can_hang() const override { return can_hang_; }
    /// Goes up whenever a call begins or ends; odd: inside one.
    [[nodiscard]] std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }

    // For the device's own thread:
    [[nodiscard]] std::uint64_t batch() const override { return device_->batch(); }
    void attach_thread() override {
        const Call call(calls_);
        device_->attach_thread();
    }
    void scan(const ScanJob& job, NonceRange range, ScanResult& result) override {
        const Call call(calls_);
        device_->scan(job, range, result);
    }
    /// The first time: attaches the thread and runs the self-test. Returns why the device is not to be used.
    [[nodiscard]] std::optional<std::string> prove() {
        if (proven_) return std::nullopt;
        attach_thread();
        auto reason = self_test(*this);
        proven_ = !reason;
        return reason;
    }

private:
    struct Call {
        explicit Call(std::atomic<std::uint64_t>& counted) : calls(counted) { ++calls; }
        ~Call() { ++calls; }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        std::atomic<std::uint64_t>& calls;
    };

    const std::unique_ptr<Device> device_;
    const DeviceInfo info_;
    const bool can_hang_;
    bool proven_ = false;
    std::atomic<std::uint64_t> calls_ = 0;
};

class Worker {
public:
    /// `index`: the worker's number in the partition. The device outlives run().
    Worker(std::shared_ptr<SearchContext> context, WatchedDevice& device, std::size_t index);

    /// On the device's thread: self-test if it has not passed it, then the search, until there is nothing left. To be
    /// called once.
    void run() noexcept;

    // From other threads. After these two the device may return at any time: run() then ends, and nothing of the search
    // changes.
    /// The device does not return: others get what it held; `reason` is one clause for the user.
    void give_up(const std::string& reason);
    /// The search ends without waiting for it.
    void abandon();

    [[nodiscard]] DeviceReport report() const;
    /// The device is not to be used any more: why. Empty: it may be.
    [[nodiscard]] std::string failure() const;
    [[nodiscard]] std::size_t index() const { return index_; }

private:
    // Called by run() alone.
    void search(const WorkUnit& unit);
    [[nodiscard]] bool hold(const WorkUnit& unit);
    void shorten(WorkUnit& unit);
    [[nodiscard]] bool prepare_job(std::uint64_t group);
    [[nodiscard]] bool job_changed() const;
    [[nodiscard]] std::uint64_t next_unit_nonces();
    [[nodiscard]] double speed() const;
    void quarantine(const std::string& reason, bool distrust);
    void put_back();
    [[nodiscard]] bool fits(const WorkUnit& part, double scan_seconds);
    [[nodiscard]] bool check_candidates(const WorkUnit& part);
    [[nodiscard]] bool is_of(const WorkUnit& part, const Candidate& candidate) const;
    [[nodiscard]] BlockHeader header_of(const Candidate& candidate) const;
    [[nodiscard]] bool all_right() const;
    void count(std::uint64_t hashes) GPUMINER_REQUIRES(mutex_);
    void book(const WorkUnit& part, bool all_checked) GPUMINER_REQUIRES(mutex_);
    void count_wrong(const Candidate& candidate) GPUMINER_REQUIRES(mutex_);
    // Called by give_up(), too.
    void quarantine_locked(const std::string& reason, bool distrust) GPUMINER_REQUIRES(mutex_);

    const std::shared_ptr<SearchContext> context_;
    WatchedDevice& device_;
    const std::size_t index_;

    // Used by run() alone.
    std::unique_ptr<const ScanJob> job_;
    std::optional<VersionGroup> group_;  ///< of the job
    std::uint64_t group_number_ = 0;
    std::uint64_t generation_ = 0;  ///< of the source, when the last unit was taken
    ScanResult result_;
    std::vector<Candidate> candidates_;  ///< of the latest scan, by version and nonce
    std::vector<Checked> checked_;       ///< the first of these
    std::uint64_t ramp_hashes_;          ///< size of the next unit until the device's own batch is reached
    std::uint64_t max_nonces_;           ///< whose candidates fit into one result; learned from overflows
    double hashes_per_second_;           ///< of the latest scan, with the check of its candidates

    /// Nothing is booked once `out_` is set. The mutexes of the partition, the source, its receiver of hits and the
    /// notices are taken within it.
    mutable Mutex mutex_;
    DeviceReport report_ GPUMINER_GUARDED_BY(mutex_);
    std::optional<WorkUnit> held_ GPUMINER_GUARDED_BY(mutex_);  ///< the part of its unit that is not completed
    bool out_ GPUMINER_GUARDED_BY(mutex_) = false;              ///< the search goes on without it
};

}  // namespace gpuminer
