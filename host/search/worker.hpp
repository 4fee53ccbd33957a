// One device's part in one search: takes units of work, has the device scan them, checks every candidate. The only
// place where errors of scans are caught.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "host/block/checker.hpp"
#include "host/notices.hpp"
#include "host/search/hash_budget.hpp"
#include "host/search/hit_list.hpp"
#include "host/search/job_stream.hpp"
#include "host/search/partition.hpp"
#include "host/search/version_space.hpp"
#include "host/search/watched_device.hpp"

namespace gpuminer {

/// What the workers of one search share. A device that hangs may keep its worker, and this, beyond the search's end.
struct SearchContext {
    explicit SearchContext(const SearchRequest& search_request);
    /// Of jobs that are set as they come.
    explicit SearchContext(JobStream::FoundCallback found);

    const SearchRequest request;
    const VersionSpace versions;
    Partition partition;
    HashBudget allowance{partition};
    HitList hits;
    Notices notices;
    std::atomic<std::uint64_t> hashes_done = 0;
    const std::unique_ptr<JobStream> stream;  ///< null: it is a search for the request
};

class Worker {
public:
    /// `index`: the worker's number in the partition. The device outlives run().
    Worker(std::shared_ptr<SearchContext> context, WatchedDevice& device, std::size_t index);

    /// The worker's whole life, on the device's thread: self-test if it has not been, search until there is nothing
    /// left. Never throws.
    void run() noexcept;

    // From other threads. After these two the device may return whenever it likes: run() then ends, and nothing of
    // the search changes.
    /// The device gives no answer: others get what it held; `reason` is one clause for the user.
    void give_up(const std::string& reason);
    /// The search ends without waiting for it.
    void leave_behind();

    [[nodiscard]] DeviceReport report() const;
    /// The device is not to be used any more: why. Empty: it may be.
    [[nodiscard]] std::string failure() const;
    [[nodiscard]] std::size_t index() const { return index_; }

private:
    void search(const WorkUnit& unit);
    [[nodiscard]] bool hold(const WorkUnit& unit);
    void drop(const WorkUnit& unit);
    [[nodiscard]] bool job_changed() const;
    void shorten(WorkUnit& unit);
    void book(const WorkUnit& part, std::uint64_t hashes);
    bool check_candidates(const WorkUnit& part);
    void count_wrong(const Candidate& candidate);
    bool record(const WorkUnit& part, const Candidate& candidate, const Hash256& hash);
    void quarantine(const std::string& reason, bool distrust);
    void quarantine_locked(const std::string& reason, bool distrust);
    [[nodiscard]] std::uint64_t next_unit_nonces();
    [[nodiscard]] bool prepare_job(std::uint64_t group);

    const std::shared_ptr<SearchContext> context_;
    WatchedDevice& device_;
    const std::size_t index_;

    // Used by run() alone.
    std::unique_ptr<const ScanJob> job_;
    std::uint64_t job_group_ = 0;
    BlockHeader header_;  ///< of the job
    Hash256 target_;
    std::optional<JobStream::Group> stream_group_;
    std::uint64_t generation_ = 0;  ///< of the stream, when the last unit was taken
    ScanResult result_;
    std::uint64_t ramp_hashes_;  ///< size of the next unit until the device's own batch is reached
    std::uint64_t max_nonces_;   ///< whose candidates fit into one result; learned from overflows
    double hashes_per_second_;   ///< of the latest scan, with the check of its candidates

    mutable std::mutex mutex_;  // guards what follows, and that nothing is booked once `out_` is set
    DeviceReport report_;
    std::optional<WorkUnit> held_;  ///< the part of its unit that is not completed
    bool out_ = false;              ///< the search goes on without it
};

}  // namespace gpuminer
