// One thread per device: takes units of work, has the device scan them, checks every candidate. The only
// place where device errors are caught.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/checker.hpp"
#include "host/hit_list.hpp"
#include "host/partition.hpp"
#include "host/search_space.hpp"

namespace gpuminer {

/// Lines for the user, from any thread.
class Messages {
public:
    void add(std::string text);
    [[nodiscard]] std::vector<std::string> take();

private:
    std::mutex mutex_;
    std::vector<std::string> texts_;
};

/// What the workers of one search share.
struct SearchContext {
    SearchContext(const SearchRequest& search_request, std::size_t workers);

    const SearchRequest request;
    const VersionSpace versions;
    Partition partition;
    HitList hits;
    Messages messages;
    std::atomic<std::uint64_t> hashes_done = 0;
};

class Worker {
public:
    /// `index`: the worker's number in the partition. Both references outlive the worker.
    Worker(SearchContext& context, Device& device, std::size_t index);

    /// The thread's whole life: attach, self-test, search until there is nothing left. Never throws.
    void run() noexcept;
    /// The device takes no (more) part in this search; `reason` is one clause for the user.
    void quarantine(const std::string& reason, bool distrust);

    /// Only after run() has returned.
    [[nodiscard]] const DeviceReport& report() const { return report_; }

private:
    void search_held();
    void scan(const WorkUnit& part);
    bool check_candidates(const WorkUnit& part);
    void count_wrong(const Candidate& candidate);
    void record(const WorkUnit& part, const Candidate& candidate, const Hash256& hash);
    [[nodiscard]] std::uint64_t next_unit_nonces();
    void prepare_job(std::uint64_t group);

    SearchContext& context_;
    Device& device_;
    const std::size_t index_;
    DeviceReport report_;
    std::optional<WorkUnit> held_;  ///< the part of its unit that is not completed
    std::unique_ptr<const ScanJob> job_;
    std::uint64_t job_group_ = 0;
    ScanResult result_;
    std::uint64_t ramp_hashes_;  ///< size of the next unit until the device's own batch is reached
    std::uint64_t max_nonces_;   ///< whose candidates fit into one result; learned from overflows
    double hashes_per_second_;   ///< of the latest scan, with the check of its candidates
};

}  // namespace gpuminer
