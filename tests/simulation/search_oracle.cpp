#include "tests/simulation/search_oracle.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "host/block/checker.hpp"
#include "host/search/version_space.hpp"
#include "host/search/work_source.hpp"

namespace gpuminer::simulation {
namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw Failure(what);
}

/// What counts of one device's work in a search.
struct Work {
    std::vector<const ScanRecord*> booked;
    bool distrusted = false;
};

/// The scans that the search has taken, as the device's report tells. A device that was given up, or left behind in its
/// last scan, may return later; that scan does not count.
Work work_of(const std::vector<ScanRecord>& all, const std::set<std::size_t>& headers, bool first_hit_only,
             const DeviceReport& report) {
    Work work;
    std::uint64_t hashes = 0;
    unsigned wrong = 0;
    const ScanRecord* last = nullptr;
    for (const ScanRecord& scan : all) {
        if (!headers.contains(scan.header)) continue;
        last = &scan;
        if (!scan.returned) continue;
        work.booked.push_back(&scan);
        hashes += scan.hashes();
        wrong += scan.wrong;
    }
    const bool one_is_late = hashes != report.hashes && !work.booked.empty() && work.booked.back() == last;
    if (one_is_late) {
        hashes -= last->hashes();
        wrong -= last->wrong;
        work.booked.pop_back();
    }
    const std::string& name = report.info.name;
    require(hashes == report.hashes, fmt::format("{} did {} hashes, its report says {}", name, hashes, report.hashes));
    // Those of a scan that come after its first hit are not looked at where that is all that was wanted.
    const bool right =
        report.wrong_candidates == std::min(wrong, 3U) || (first_hit_only && report.wrong_candidates < wrong);
    require(right,
            fmt::format("{} returned {} wrong candidates, its report says {}", name, wrong, report.wrong_candidates));
    const bool too_many = last != nullptr && last->overflow && last->range.count == 1 &&
                          report.failure.find("more candidates") != report.failure.npos;
    work.distrusted = report.wrong_candidates >= 3 || too_many;
    require(!work.distrusted || !report.failure.empty(), name + " is used although it is not to be trusted");
    return work;
}

std::vector<Work> works_of(const World& world, const std::set<std::size_t>& headers, bool first_hit_only,
                           const SearchReport& report) {
    std::vector<Work> works;
    std::set<std::string> names;
    for (const DeviceReport& device : report.devices) {
        require(names.insert(device.info.name).second, device.info.name + " is in the report twice");
        static const std::vector<ScanRecord> kNone;
        const auto scans = world.scans.find(device.info.name);
        works.push_back(work_of(scans == world.scans.end() ? kNone : scans->second, headers, first_hit_only, device));
    }
    for (const auto& [name, scans] : world.scans) {
        const bool took_part =
            std::ranges::any_of(scans, [&](const ScanRecord& scan) { return headers.contains(scan.header); });
        require(!took_part || names.contains(name), name + " has searched and is not in the report");
    }
    return works;
}

/// Nonces of one group that were searched.
class Coverage {
public:
    void add(const NonceRange& range) { ranges_.push_back(range); }
    /// None twice, and those of `needed` each once.
    void judge(const NonceRange& needed, const std::string& where) {
        std::ranges::sort(ranges_, {}, &NonceRange::first);
        std::uint64_t next = needed.first;
        const std::uint64_t end = needed.first + needed.count;
        std::uint64_t before = 0;
        for (const NonceRange& range : ranges_) {
            require(range.first >= before, fmt::format("nonce {} of {} was searched twice", range.first, where));
            before = range.first + range.count;
            if (next < end && range.first > next) break;
            next = std::max(next, before);
        }
        require(needed.count == 0 || next >= end, fmt::format("nonce {} of {} was never searched", next, where));
    }

private:
    std::vector<NonceRange> ranges_;
};

void require_real(const Hit& hit, std::size_t header) {
    const Row& row = Answers::get().row(header, hit.version);
    require(std::ranges::binary_search(row.hits, hit.nonce), fmt::format("nonce {} is no hit", hit.nonce));
    require(hit.header == row.solved_but_for_nonce.with_nonce(hit.nonce), "a hit has another header");
    require(hit.hash == double_sha256(hit.header.bytes), "a hit has another hash");
}

/// The hits that honest scans have reported.
std::set<Key> certain_hits(const std::vector<Work>& works) {
    std::set<Key> hits;
    for (const Work& work : works) {
        for (const ScanRecord* scan : work.booked) {
            if (scan->wrong == 0) hits.insert(scan->reported.begin(), scan->reported.end());
        }
    }
    return hits;
}

void judge_hits(const SearchRequest& request, const SearchReport& report, std::size_t header,
                const std::set<Key>& certain) {
    std::set<Key> found;
    for (const Hit& hit : report.hits) {
        require_real(hit, header);
        require(hit.nonce >= request.start && hit.nonce <= request.end, "a hit is outside the range");
        require(found.empty() || *found.rbegin() < Key(hit.version, hit.nonce), "hits do not ascend");
        found.emplace(hit.version, hit.nonce);
    }
    const std::uint64_t most = request.goal == Goal::kAll ? request.max_results : 1;
    require(found.size() <= most, "more hits than were asked for");
    const bool full = found.size() == most;
    if (request.goal == Goal::kFirst) return require(full || certain.empty(), "a hit is lost");
    for (const Key& hit : certain) {
        require(found.contains(hit) || (full && hit > *found.rbegin()),
                fmt::format("the hit with version {:08x} and nonce {} is lost", hit.first, hit.second));
    }
    require(report.truncated || request.goal == Goal::kLowest || certain.size() <= most,
            "there are more hits, and the report does not say so");
    require(!report.truncated || full, "the report speaks of more hits without need");
}

/// What had to be searched of a group: all but what lies behind the last hit that was asked for.
NonceRange needed_of(std::uint64_t group, const VersionSpace& versions, const SearchRequest& request,
                     const SearchReport& report) {
    const NonceRange all{request.start, std::uint64_t{request.end} - request.start + 1};
    if (report.ending != Ending::kFinished) return {request.start, 0};
    const bool full = request.goal == Goal::kAll ? report.truncated : !report.hits.empty();
    if (!full) return all;
    if (request.goal == Goal::kFirst) return {request.start, 0};
    const Hit& last = report.hits.back();
    std::uint64_t of_last = 0;
    while (versions.version(of_last) != last.version) ++of_last;
    of_last /= versions.group_size();
    if (group < of_last) return all;
    return {request.start, group > of_last ? 0 : std::uint64_t{last.nonce} - request.start + 1};
}

/// Looks at all scans of these headers that began a batch: where results overflow, a batch has several scans.
template <class Action>
void for_each_batch(const World& world, const std::set<std::size_t>& headers, Action action) {
    for (const auto& [name, scans] : world.scans) {
        if (std::ranges::any_of(scans, &ScanRecord::overflow)) continue;
        for (const ScanRecord& scan : scans) {
            if (headers.contains(scan.header)) action(name, scan);
        }
    }
}

/// No batch of a job begins when there is another.
void require_end(const World& world, const JobRecord& job) {
    if (!job.replaced || job.times_set != 1) return;
    const Time latest = *job.replaced + std::chrono::milliseconds(5);  // one may have been about to begin
    for_each_batch(world, {job.header}, [&](const std::string& name, const ScanRecord& scan) {
        require(scan.began <= latest, fmt::format("{} begins with job {} when there is another", name, job.header));
    });
}

void require_pauses(const World& world, const std::set<std::size_t>& headers) {
    for_each_batch(world, headers, [&](const std::string& name, const ScanRecord& scan) {
        const auto own = world.device_pauses.find(name);
        const bool paused = own != world.device_pauses.end() && own->second.forbid(scan.began);
        require(!paused && !world.pauses.forbid(scan.began), name + " begins a batch although it is paused");
    });
}

/// Where the first hit is all that was wanted, it ends the search.
void require_end_at_first_hit(const World& world, const SearchReport& report, std::size_t header,
                              const std::vector<Work>& works) {
    if (report.hits.empty()) return;
    const Key hit{report.hits.front().version, report.hits.front().nonce};
    Time handed_over = Time::max();
    for (const Work& work : works) {
        for (const ScanRecord* scan : work.booked) {
            if (scan->wrong == 0 && std::ranges::count(scan->reported, hit) > 0)
                handed_over = std::min(handed_over, scan->ended + std::chrono::milliseconds(10));
        }
    }
    for_each_batch(world, {header}, [&](const std::string& name, const ScanRecord& scan) {
        require(scan.began <= handed_over, name + " begins a batch after the first hit");
    });
}

/// Static pieces follow one another, as their devices do; otherwise each device has the whole range.
void require_pieces(const SearchRequest& request, const SearchReport& report) {
    std::uint64_t next = request.start;
    std::optional<std::uint64_t> before;
    for (const DeviceReport& device : report.devices) {
        const std::string& name = device.info.name;
        if (request.partition == PartitionMode::kDynamic) {
            require(device.start == request.start && device.end == request.end, name + " has not the whole range");
            continue;
        }
        if (device.start > device.end) continue;  // it has no piece
        const std::uint64_t count = std::uint64_t{device.end} - device.start + 1;
        require(device.start == next, fmt::format("{} has a piece from {} on instead of {}", name, device.start, next));
        require(!before || count == *before || count + 1 == *before, name + " has a piece of another size");
        before = count;
        next += count;
    }
    require(next == request.start || next == std::uint64_t{request.end} + 1, "the pieces are not the range");
}

}  // namespace

void judge(const World& world, const SearchRequest& request, const SearchReport& report, std::size_t header,
           bool stopped, bool usable) {
    const std::vector<Work> works = works_of(world, {header}, request.goal == Goal::kFirst, report);
    judge_hits(request, report, header, certain_hits(works));
    require_pauses(world, {header});
    require_pieces(request, report);
    if (request.goal == Goal::kFirst) require_end_at_first_hit(world, report, header, works);
    require(report.ending == Ending::kFinished || stopped || (report.ending == Ending::kFailed && !usable),
            "the search is not finished, although nobody stopped it and there are devices");

    const VersionSpace versions(request.header.version(), request.version_mask,
                                request.goal == Goal::kLowest ? 1 : kVersionsPerJob);
    std::map<std::uint32_t, Coverage> groups;  // by their first version
    for (const Work& work : works) {
        for (const ScanRecord* scan : work.booked) {
            require(scan->versions == versions.group_size(), "a scan has not all versions of its group");
            if (scan->wrong == 0 && !work.distrusted) groups[scan->first_version].add(scan->range);
        }
    }
    for (std::uint64_t group = 0; group < versions.groups(); ++group) {
        const std::uint32_t first = versions.version(versions.index(group, 0));
        groups[first].judge(needed_of(group, versions, request, report), fmt::format("version {:08x}", first));
    }
    require(groups.size() == versions.groups(), "versions were searched that were not asked for");
}

void judge(const World& world, const std::vector<JobRecord>& jobs, const SearchReport& report) {
    std::set<std::size_t> headers;
    for (const JobRecord& job : jobs) headers.insert(job.header);
    const bool first_hit_only = std::ranges::any_of(jobs, &JobRecord::first_hit_only);
    const std::vector<Work> works = works_of(world, headers, first_hit_only, report);
    require_pauses(world, headers);
    for (const JobRecord& job : jobs) {
        require_end(world, job);
        Coverage coverage;
        std::map<Key, std::size_t> reported;
        std::set<Key> certain;
        bool in_time = false;
        for (const Work& work : works) {
            for (const ScanRecord* scan : work.booked) {
                if (scan->header != job.header) continue;
                for (const Key& hit : scan->reported) ++reported[hit];
                if (scan->wrong > 0) continue;
                coverage.add(scan->range);
                certain.insert(scan->reported.begin(), scan->reported.end());
                const Time handed_over = scan->ended + std::chrono::milliseconds(10);
                in_time |=
                    !scan->reported.empty() && job.times_set == 1 && (!job.replaced || handed_over < *job.replaced);
            }
        }
        if (job.times_set == 1) coverage.judge({0, job.settled}, fmt::format("job {}", job.header));
        for (const Key& hit : job.found) {
            require(reported[hit]-- > 0,
                    fmt::format("nonce {} of job {} was handed over once too often", hit.second, job.header));
        }
        if (job.first_hit_only) {
            require(job.found.size() <= job.times_set, "a job was to end with its first hit");
            require(!job.found.empty() || !in_time, "the hit of a job that ends with it is lost");
            continue;
        }
        for (const Key& hit : certain)
            require(std::ranges::count(job.found, hit) > 0,
                    fmt::format("nonce {} of job {} is lost", hit.second, job.header));
    }
}

}  // namespace gpuminer::simulation
