// The workload `latency`: time from a new job to its first scan, and from a stop request to the search's end.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/workloads/open_devices.hpp"
#include "bench/workloads/workload.hpp"
#include "host/mutex.hpp"
#include "host/search/version_space.hpp"

namespace gpuminer::bench {

Rows prepare_latency(const Setting& setting);

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Longest wait for a device to start a job, after which it counts as failed.
constexpr auto kPatience = 30s;
/// Job A runs for this long before a switch: until batches have grown to their full size (50 ms, or less).
constexpr std::chrono::milliseconds kRunningIn{110};
/// And for up to this much longer, so that the switch comes anywhere within a batch.
constexpr std::chrono::microseconds kLongestBatch{50'000};
constexpr std::uint32_t kRolledBits = kBip320Mask;  ///< no search comes to its end
/// The known nonce lies this far into the range: in the first unit of work that is handed out, however small.
constexpr std::uint32_t kBeforeKnownNonce = 3;

double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

/// Real blocks whose version is the lowest of all that are rolled, so that it is searched first.
std::vector<BlockHeader> jobs() {
    std::vector<BlockHeader> headers;
    for (const EmbeddedBlock& block : embedded_blocks()) {
        const BlockHeader header = parse_header_hex(block.header_hex).header;
        if ((header.version() & kRolledBits) == 0 && header.nonce() >= kBeforeKnownNonce) headers.push_back(header);
    }
    return headers;
}

SearchRequest request_for(const BlockHeader& block) {
    SearchRequest request;
    request.header = block;
    request.target = target_from_nbits(block.nbits());
    request.start = block.nonce() - kBeforeKnownNonce;
    request.version_mask = kRolledBits;
    request.goal = Goal::kAll;
    return request;
}

/// When each device began its first scan of the current search, and how many it began.
class Entries {
public:
    explicit Entries(std::size_t devices) : devices_(devices) {}

    /// From now on scans are those of another search. Returns its number.
    std::uint64_t expect_new_job() {
        const MutexLock lock(mutex_);
        std::ranges::fill(devices_, PerDevice{});
        return ++job_;
    }
    void enter(std::size_t device) {
        const auto now = Clock::now();
        const MutexLock lock(mutex_);
        if (devices_[device].scans++ == 0) devices_[device].first = now;
        changed_.notify_all();
    }
    /// Until every device has begun so many scans of the job, or `give_up` (asked ten times a second). False: given up.
    template <class GiveUp>
    [[nodiscard]] bool wait_for_all(std::uint64_t job, unsigned scans, GiveUp give_up) {
        const auto has = [scans](const PerDevice& device) { return device.scans >= scans; };
        const auto all_have = [&]() GPUMINER_REQUIRES(mutex_) {
            return job_ == job && std::ranges::all_of(devices_, has);
        };
        const MutexLock lock(mutex_);
        while (!changed_.wait_for(mutex_, 100ms, all_have)) {
            if (give_up()) return false;
        }
        return true;
    }
    [[nodiscard]] std::vector<Clock::time_point> first_scans() const {
        const MutexLock lock(mutex_);
        std::vector<Clock::time_point> times;
        for (const PerDevice& device : devices_) times.push_back(device.first);
        return times;
    }

private:
    struct PerDevice {
        Clock::time_point first;
        unsigned scans = 0;
    };
    mutable Mutex mutex_;
    Condition changed_;
    std::vector<PerDevice> devices_ GPUMINER_GUARDED_BY(mutex_);
    std::uint64_t job_ GPUMINER_GUARDED_BY(mutex_) = 0;
};

/// Two searches, one after the other, on a thread of their own: the second one starts when the first one is stopped.
class Switch {
public:
    Switch(Fleet& fleet, const SearchRequest& a, const SearchRequest& b, Entries& entries)
        : a_(a, fleet),
          thread_([this, &fleet, b, &entries](const std::stop_token& stop) { run(fleet, b, entries, stop); }) {}
    ~Switch() { stop_both(); }
    Switch(const Switch&) = delete;
    Switch& operator=(const Switch&) = delete;

    /// Ends job A. Returns when that began.
    Clock::time_point stop_a() {
        const auto now = Clock::now();
        a_.stop(Ending::kLimit);
        return now;
    }
    void stop_both() {
        const MutexLock lock(mutex_);
        thread_.request_stop();
        a_.stop(Ending::kLimit);
        if (b_) b_->stop(Ending::kLimit);
    }
    /// Both have ended, perhaps by an error.
    [[nodiscard]] bool ended() const {
        const MutexLock lock(mutex_);
        return ended_;
    }
    struct Outcome {
        Clock::time_point a_ended;
        SearchReport b;
    };
    /// After stop_both(). Throws what a search has thrown.
    [[nodiscard]] Outcome outcome() {
        thread_.join();
        if (error_) std::rethrow_exception(error_);
        return std::move(outcome_);
    }

private:
    void run(Fleet& fleet, const SearchRequest& b, Entries& entries, const std::stop_token& stop) {
        try {
            (void)a_.run();
            outcome_.a_ended = Clock::now();
            (void)entries.expect_new_job();
            if (Search* const second = start_b(b, fleet, stop)) outcome_.b = second->run();
        } catch (...) {
            error_ = std::current_exception();
        }
        const MutexLock lock(mutex_);
        ended_ = true;
    }
    /// Null: both are to end.
    Search* start_b(const SearchRequest& request, Fleet& fleet, const std::stop_token& stop) {
        const MutexLock lock(mutex_);
        if (!stop.stop_requested()) b_ = std::make_unique<Search>(request, fleet);
        return b_.get();
    }

    Search a_;
    Outcome outcome_;
    std::exception_ptr error_;
    mutable Mutex mutex_;
    std::unique_ptr<Search> b_ GPUMINER_GUARDED_BY(mutex_);
    bool ended_ GPUMINER_GUARDED_BY(mutex_) = false;
    std::jthread thread_;  ///< the last one: it uses all the others
};

/// Milliseconds from the moment at which job A is told to stop.
struct Times {
    double stopped = 0;      ///< until Search::run() has returned
    double first_began = 0;  ///< until the first device began to scan job B
    double last_began = 0;   ///< until the last one did
};

class Latency {
public:
    Latency(Subject subject, const std::stop_token& stop) : subject_(std::move(subject)), stop_(stop) {
        for (std::size_t i = 0; i < subject_.devices.size(); ++i)
            subject_.devices[i]->before_scan = [entries = entries_, i] { entries->enter(i); };
    }
    Latency(const Latency&) = delete;
    Latency& operator=(const Latency&) = delete;

    [[nodiscard]] const Subject& subject() const { return subject_; }

    /// Throws VerificationError, Interrupted.
    [[nodiscard]] Times switch_jobs() {
        if (stop_.stop_requested()) throw Interrupted{};
        if (!proven_) prove();
        const BlockHeader a = jobs_[next_job_ % jobs_.size()], b = jobs_[++next_job_ % jobs_.size()];
        const std::uint64_t job_a = entries_->expect_new_job(), job_b = job_a + 1;
        Switch both(*subject_.fleet, request_for(a), request_for(b), *entries_);
        wait_for_all(job_a, 1, both);
        std::uniform_int_distribution<std::int64_t> within_a_batch(0, kLongestBatch.count());
        std::this_thread::sleep_for(kRunningIn + std::chrono::microseconds(within_a_batch(random_)));
        const auto stopped = both.stop_a();
        // Two, so that every device has delivered the results of its first.
        wait_for_all(job_b, 2, both, stopped);
        both.stop_both();
        const auto began = entries_->first_scans();
        const auto [a_ended, report] = both.outcome();
        require_known_hit(report, b);
        const auto [first, last] = std::ranges::minmax(began);
        return {milliseconds(a_ended - stopped), milliseconds(first - stopped), milliseconds(last - stopped)};
    }

private:
    /// The devices' self-tests, which a fleet's first search begins with. Ends when all have searched something.
    void prove() {
        SearchRequest request = request_for(jobs_.front());
        request.target = {};  // nothing is found: it goes on
        for (const auto give_up_at = Clock::now() + kPatience; !proven_;) {
            if (Clock::now() > give_up_at) throw_too_slow();
            if (stop_.stop_requested()) throw Interrupted{};
            Search search(request, *subject_.fleet);
            const std::jthread stopper([&search] {
                std::this_thread::sleep_for(200ms);
                search.stop(Ending::kLimit);
            });
            const SearchReport report = search.run();
            for (const DeviceReport& device : report.devices) require_sound(device);
            const auto idle = [](const DeviceReport& device) { return device.hashes == 0; };
            proven_ = report.devices.size() == subject_.devices.size() && std::ranges::none_of(report.devices, idle);
        }
    }

    void wait_for_all(std::uint64_t job, unsigned scans, Switch& both, Clock::time_point since = Clock::now()) {
        bool too_slow = false;
        const bool all = entries_->wait_for_all(job, scans, [&] {
            too_slow = Clock::now() > since + kPatience;
            return too_slow || both.ended() || stop_.stop_requested();
        });
        if (all) return;
        if (stop_.stop_requested()) throw Interrupted{};
        both.stop_both();
        for (const DeviceReport& device : both.outcome().b.devices) require_sound(device);
        throw_too_slow();
    }

    void require_known_hit(const SearchReport& report, const BlockHeader& block) const {
        for (const DeviceReport& device : report.devices) require_sound(device);
        if (std::ranges::find(report.hits, block, &Hit::header) != report.hits.end()) return;
        throw VerificationError(fmt::format("{} missed nonce {} of a new job", subject_.name, block.nonce()));
    }

    static void require_sound(const DeviceReport& device) {
        if (device.failure.empty() && device.wrong_candidates == 0) return;
        throw VerificationError(fmt::format("{} failed: {}", device.info.name,
                                            device.failure.empty() ? "it returned a wrong candidate" : device.failure));
    }

    [[noreturn]] void throw_too_slow() const {
        throw VerificationError(fmt::format("{}: not every device took up a job within {} s", subject_.name,
                                            std::chrono::seconds(kPatience).count()));
    }

    const Subject subject_;
    const std::stop_token stop_;
    /// A device that hangs may keep it.
    const std::shared_ptr<Entries> entries_ = std::make_shared<Entries>(subject_.devices.size());
    const std::vector<BlockHeader> jobs_ = jobs();
    std::size_t next_job_ = 0;
    std::mt19937 random_{20'090'103};  // fixed: every run takes the same moments
    bool proven_ = false;
};

/// A round is one switch, so that every point of the report is one that happened.
Row row_of(const std::shared_ptr<Latency>& latency, const std::string& what, const char* unit, double Times::*figure) {
    const auto measure = [=](double /*seconds*/) { return latency->switch_jobs().*figure; };
    return {latency->subject().name + " " + what, unit, Better::kLower, measure};
}

}  // namespace

Rows prepare_latency(const Setting& setting) {
    Rows rows;
    for (Subject& subject : setting.devices.subjects()) {
        const auto latency = std::make_shared<Latency>(std::move(subject), setting.stop);
        rows.rows.push_back(row_of(latency, "new job", "ms per new job", &Times::first_began));
        if (latency->subject().devices.size() > 1)
            rows.rows.push_back(row_of(latency, "new job, last device", "ms per new job", &Times::last_began));
        rows.rows.push_back(row_of(latency, "stop", "ms per stop", &Times::stopped));
    }
    return rows;
}

}  // namespace gpuminer::bench
