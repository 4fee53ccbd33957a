#include "tests/simulation/search_schedule.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "host/search/fleet.hpp"
#include "host/search/job_stream.hpp"
#include "tests/simulation/search_oracle.hpp"
#include "tests/simulation/search_user.hpp"
#include "tests/simulation/simulated_job.hpp"

namespace gpuminer::simulation {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds kMoment{25};

/// A tenth of the usual ones, and less. A patient fleet does not look by itself whether something has changed.
FleetTimes short_times(bool patient) {
    FleetTimes times;
    times.head_start = milliseconds(5);
    times.probe = milliseconds(300);
    times.alias = milliseconds(50);
    times.open = milliseconds(200);
    times.answer = milliseconds(150);
    times.end = milliseconds(50);
    times.close = milliseconds(30);
    times.tick = kMoment;
    if (patient) times.end = times.close = times.tick = std::chrono::hours(100);
    return times;
}

class SearchSchedule {
public:
    SearchSchedule(Scheduler& scheduler, World& world, Tally& tally)
        : scheduler_(scheduler), random_(scheduler.random()), world_(world), tally_(tally) {}

    void run() {
        try {
            if (random_.one_in(2)) {
                fleet_.emplace(world_.open_all(), times_);
            } else {
                fleet_.emplace(World::backends(), DeviceSelection{}, times_);
            }
        } catch (const NoDeviceError&) {
            ++tally_["fleets without a device"];
        }
        const std::size_t searches = fleet_ ? random_.between(1, 3) : 0;
        for (search_ = 0; search_ < searches; ++search_) {
            random_.one_in(2) ? run_request() : run_stream();
        }
        fleet_.reset();
        world_.release();
    }

private:
    static constexpr std::size_t kJobs = 3;  // of a stream: headers of its own

    // ----- a search of one request -----

    void run_request() {
        const SearchRequest request = draw_request();
        Search search(request, *fleet_);
        stop_at_random_ = random_.one_in(8);
        const auto report = run_with_user(search, [&] { interfere_until_over(search); });
        if (!report) return;
        judge(world_, request, *report, search_, stopped_, !fleet_->ready().empty());
        count(*report);
    }

    SearchRequest draw_request() {
        SearchRequest request;
        request.header = Answers::header(search_);
        request.target = Answers::target();
        request.version_mask = random_.one_of(0U, 0xe000U, Answers::kMask);
        request.partition = random_.one_in(2) ? PartitionMode::kStatic : PartitionMode::kDynamic;
        request.goal = random_.one_of(Goal::kFirst, Goal::kLowest, Goal::kAll);
        if (random_.one_in(3)) request.max_results = random_.between(1, 10);
        if (random_.one_in(4)) request.target = Hash256{};  // nothing is found
        // Not too many units for one schedule.
        const std::uint64_t most = std::max<std::uint64_t>(50 * world_.smallest_batch() / 16, 2);
        const std::uint64_t count = random_.spread(1, most);
        const std::uint64_t island = Answers::kIslands[random_.below(Answers::kIslands.size())];
        const std::uint64_t around = island + random_.below(Answers::kIslandSize);
        request.start = static_cast<std::uint32_t>(around - std::min(around, random_.below(count)));
        request.end = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.start + count - 1, 0xffffffff));
        return request;
    }

    // ----- a stream of jobs -----

    void run_stream() {
        jobs_.clear();
        std::vector<std::shared_ptr<const SimulatedJob>> jobs;
        for (std::size_t i = 0; i < kJobs; ++i) {
            JobRecord record;
            record.header = 3 + kJobs * search_ + i;
            record.version_mask = random_.one_of(0U, 0xe000U, Answers::kMask);
            record.first_hit_only = random_.one_in(4);
            jobs_.push_back(record);
            jobs.push_back(std::make_shared<const SimulatedJob>(record));
        }
        MiningSearch search([this](const JobHit& found) { take(found); }, *fleet_);
        const auto set = [&](std::size_t next) {
            if (current_) jobs_[*current_].replaced = scheduler_.now();
            current_.reset();
            if (next < kJobs) {
                current_ = next;
                ++jobs_[next].times_set;
            }
            search.set_job(next < kJobs ? jobs[next] : nullptr);
        };
        current_.reset();
        stop_at_random_ = false;
        const auto report = run_with_user(search, [&] {
            std::size_t next = 0;
            interfere(search, [&] {
                if (!random_.one_in(3)) return;
                if (random_.one_in(8)) return set(kJobs);
                if (random_.one_in(8)) {  // more than a stream keeps
                    for (int times = 0; times < 20; ++times) set(random_.below(kJobs));
                    return;
                }
                set(random_.one_in(10) ? random_.below(kJobs) : next++);
            });
            if (!over_ && current_) settle(search, jobs_[*current_]);
            if (current_) jobs_[*current_].replaced = scheduler_.now();
            stopped_ = true;
            search.stop(Ending::kLimit);
        });
        if (!report) return;
        judge(world_, jobs_, *report);
        count(*report);
    }

    /// What devices have begun is to be searched in the end, whatever happens to them, as long as one is left.
    void settle(MiningSearch& search, JobRecord& job) {
        world_.calm_down();
        std::uint64_t begun = 0;
        std::size_t scans_before = 0;
        for_each_scan(job, [&](const ScanRecord& scan) {
            begun = std::max(begun, scan.range.first + scan.range.count);
            ++scans_before;
        });
        // The last device that hangs is given up, and others search what it had. That may take the slowest of them
        // long.
        const auto long_enough = times_.answer + 4 * kMoment;
        for (Time last = scheduler_.now(); !over_ && scheduler_.now() < last + long_enough;) {
            scheduler_.sleep(kMoment);
            if (limited_) search.allow(1e9, 1e9);
            for_each_scan(job, [&](const ScanRecord& scan) {
                if (scan.range.first < begun) last = std::max(last, scan.began);
            });
        }
        if (fleet_->ready().empty() || over_ || job.times_set != 1 || job.first_hit_only) return;
        job.settled = begun;
        std::size_t scans = 0;
        for_each_scan(job, [&](const ScanRecord&) { ++scans; });
        if (scans == scans_before) scheduler_.fail("no device searches the job");
    }

    template <class Action>
    void for_each_scan(const JobRecord& job, Action action) const {
        for (const auto& [name, scans] : world_.scans) {
            for (const ScanRecord& scan : scans) {
                if (scan.header == job.header) action(scan);
            }
        }
    }

    void take(const JobHit& found) {
        const auto& job = dynamic_cast<const SimulatedJob&>(*found.job);
        JobRecord& record = jobs_[(job.number - 3) % kJobs];
        const Row& row = Answers::get().row(job.number, found.hit.version);
        if (record.header != job.number || found.index != 0 ||
            found.hit.header != row.solved_but_for_nonce.with_nonce(found.hit.nonce))
            scheduler_.fail("a hit is not one of its job");
        record.found.emplace_back(found.hit.version, found.hit.nonce);
    }

    // ----- both -----

    /// Nothing: there was no device to search with.
    template <class Action>
    std::optional<SearchReport> run_with_user(Search& search, Action action) {
        over_ = stopped_ = limited_ = false;
        const auto user = scheduler_.start([&] { action(); });
        std::optional<SearchReport> report;
        try {
            std::multiset<std::string> announced;
            unsigned complete = 0;
            report = search.run(
                [&](const DeviceInfo& info) {
                    scheduler_.pass();
                    announced.insert(info.name);
                },
                [&] { ++complete; });
            for (const DeviceReport& device : report->devices) {
                if (announced.erase(device.info.name) != 1)
                    scheduler_.fail(device.info.name + " is not announced once");
            }
            if (!announced.empty() || complete > 1) scheduler_.fail("more is announced than there is");
        } catch (const NoDeviceError&) {
            ++tally_["searches without a device"];
            if (!fleet_->ready().empty()) scheduler_.fail("no device is said to be there, but there is one");
        }
        over_ = true;
        scheduler_.join(user);
        return report;
    }

    /// A user pauses, resumes, limits and looks, for a while.
    template <class Action>
    void interfere(Search& search, Action also) {
        SearchUser user(world_, *fleet_, search);
        const Time end = scheduler_.now() + microseconds(random_.spread(1000, 300'000));
        limited_ = random_.one_in(5);
        const auto budget = static_cast<double>(random_.spread(1, 1'000'000));
        if (limited_) search.allow(budget, 2 * budget);
        while (!over_ && scheduler_.now() < end) {
            scheduler_.sleep(microseconds(random_.spread(10, 40'000)));
            if (limited_) search.allow(budget, 2 * budget);
            also();
            user.act();
            if (!stop_at_random_ || !random_.one_in(24)) continue;
            stopped_ = true;
            search.stop(Ending::kInterrupted);
        }
        user.resume_everything();
    }

    void interfere_until_over(Search& search) {
        interfere(search, [] {});
        while (!over_) {
            scheduler_.sleep(kMoment);
            if (limited_) search.allow(1e9, 1e9);
        }
    }

    void count(const SearchReport& report) {
        ++tally_["searches"];
        tally_["hits"] += report.hits.size();
        for (const JobRecord& job : jobs_) tally_["hits"] += job.found.size();
        tally_["wrong candidates"] += report.rejected_candidates;
        for (const DeviceReport& device : report.devices) {
            if (device.failure.empty()) continue;
            ++tally_[device.failure.find("did not respond") != device.failure.npos ? "devices given up"
                                                                                   : "devices quarantined"];
        }
        if (report.ending == Ending::kFailed) ++tally_["searches that fail"];
        jobs_.clear();
    }

    Scheduler& scheduler_;
    Random& random_;
    World& world_;
    Tally& tally_;
    const FleetTimes times_ = short_times(world_.patient());
    std::optional<Fleet> fleet_;
    std::size_t search_ = 0;

    // Of one search:
    bool over_ = false;
    bool stopped_ = false;
    bool limited_ = false;
    bool stop_at_random_ = false;
    std::vector<JobRecord> jobs_;
    std::optional<std::size_t> current_;
};

}  // namespace

void run_search_schedule(std::uint64_t seed, Tally& tally) {
    Scheduler scheduler(seed);
    World world(scheduler, scheduler.random().one_in(4));
    try {
        scheduler.run([&] {
            SearchSchedule schedule(scheduler, world, tally);
            try {
                schedule.run();
            } catch (const Failure& failure) {
                scheduler.fail(failure.what());  // before anything is destroyed
            }
        });
    } catch (const Failure&) {
        if (std::getenv("GPUMINER_SCHEDULE") != nullptr) world.print_scans();
        throw;
    }
    if (world.open_devices != 0) throw Failure("devices are left open");
    for (const auto& [name, scans] : world.scans) tally["scans"] += scans.size();
    tally["switches"] += scheduler.switches();
}

}  // namespace gpuminer::simulation
