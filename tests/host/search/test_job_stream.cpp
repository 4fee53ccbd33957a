// Tests of one search that mines jobs as they come.
#include <condition_variable>
#include <map>
#include <set>
#include <tuple>

#include "host/search/fleet.hpp"
#include "host/search/job_stream.hpp"
#include "host/search/mining_job.hpp"
#include "host/text/bytes.hpp"
#include "search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

/// Headers that differ in the previous hash: its first byte is the job's, the next ones are the header's number.
class NumberedJob : public MiningJob {
public:
    NumberedJob(std::uint8_t number, const Hash256& target, std::uint32_t version_mask = 0, bool first_only = false)
        : number_(number), target_(target), version_mask_(version_mask), first_only_(first_only) {}

    BlockHeader header(std::uint64_t index) const override {
        BlockHeader header = genesis();
        header.bytes[4] = number_;
        store_le(std::span(header.bytes).subspan(5, 8), index);
        return header;
    }
    Hash256 target() const override { return target_; }
    std::uint32_t version_mask() const override { return version_mask_; }
    bool ends_with_first_hit() const override { return first_only_; }

private:
    const std::uint8_t number_;
    const Hash256 target_;
    const std::uint32_t version_mask_;
    const bool first_only_;
};

const Hash256 kEasy = target_with_top(0x00ffffff);
const Hash256 kImpossible{};

/// Runs a stream on a thread of its own, and gathers what is found.
class Run {
public:
    explicit Run(const std::vector<Behaviour>& behaviours)
        : fleet_(devices_of(behaviours)),
          search_([this](const JobHit& found) { gather(found); }, fleet_),
          result_(std::async(std::launch::async, [this] { return search_.run(); })) {}

    MiningSearch& search() { return search_; }
    std::vector<JobHit> wait_for(std::size_t count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return found_.size() >= count; });
        return found_;
    }
    std::vector<JobHit> found() {
        const std::lock_guard lock(mutex_);
        return found_;
    }
    SearchReport stop() {
        search_.stop(Ending::kFinished);
        return result_.get();
    }

private:
    void gather(const JobHit& found) {
        const std::lock_guard lock(mutex_);
        found_.push_back(found);
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<JobHit> found_;
    Fleet fleet_;
    MiningSearch search_;
    std::future<SearchReport> result_;
};

}  // namespace

TEST_CASE("a stream finds the hits of its job, each once, with the whole header") {
    Run run({batches_of(500), batches_of(700)});
    const auto job = std::make_shared<NumberedJob>(1, kEasy, kMask);
    run.search().set_job(job);
    const std::vector<JobHit> found = run.wait_for(100);
    const SearchReport report = run.stop();
    CHECK(report.ending == Ending::kFinished);
    CHECK(report.hits.empty());
    std::set<std::string> headers;
    std::set<std::uint32_t> versions;
    for (const JobHit& one : found) {
        CHECK(one.job == job);
        CHECK(double_sha256(one.hit.header.bytes) == one.hit.hash);
        CHECK(one.hit.hash <= kEasy);
        CHECK(job->header(one.index).with_version(one.hit.version).with_nonce(one.hit.nonce) == one.hit.header);
        CHECK((one.hit.version & ~kMask) == genesis().version());
        CHECK(headers.insert(one.hit.header.hex()).second);
        versions.insert(one.hit.version);
    }
    CHECK(versions.size() == 8);
}

TEST_CASE("a new job takes the old one's place at once, and no job means no work") {
    Behaviour slow = batches_of(200);
    std::atomic<unsigned> scans = 0;
    slow.scans = &scans;
    Valve valve;
    Run run({valve.behind(slow), valve.behind(slow)});
    give_it_a_chance();
    CHECK(scans == 0);

    run.search().set_job(std::make_shared<NumberedJob>(1, kEasy));
    (void)run.wait_for(5);
    const auto second = std::make_shared<NumberedJob>(2, kEasy);
    run.search().set_job(second);
    const std::size_t before = run.found().size();
    const std::vector<JobHit> found = run.wait_for(before + 50);
    // Only batches that had begun may still bring something of the first job.
    bool seen_second = false;
    std::size_t late = 0;
    for (std::size_t i = before; i < found.size(); ++i) {
        seen_second = seen_second || found[i].job == second;
        if (found[i].job != second) ++late;
    }
    CHECK(seen_second);
    CHECK(late < 20);

    valve.close_on(2);
    run.search().set_job(nullptr);
    const unsigned before_the_end = scans;
    valve.open();
    give_it_a_chance();
    CHECK(scans == before_the_end);
    (void)run.stop();
}

TEST_CASE("a job that ends with its first hit is reported once, and the next one is searched") {
    Run run({batches_of(1u << 20), batches_of(1u << 20), batches_of(1u << 20)});
    const Hash256 trivial = target_with_top(0x7fffffff);
    for (std::uint8_t number = 0; number < 50; ++number) {
        run.search().set_job(std::make_shared<NumberedJob>(number, trivial, 0, true));
        const std::vector<JobHit> found = run.wait_for(number + 1u);
        REQUIRE(found.size() == number + 1u);
        CHECK(found.back().hit.header.bytes[4] == number);
    }
    (void)run.stop();
    CHECK(run.found().size() == 50);
}

TEST_CASE("a job that comes after a pause begins with a small batch, whatever the job before was like") {
    for (const bool without_job : {true, false}) {  // or paused by the user
        INFO(without_job);
        Behaviour fast = batches_of(std::uint64_t{1} << 26);
        fast.hashing = false;
        std::mutex mutex;
        std::vector<std::uint64_t> hashes[2];  // of each batch, of jobs with one version and with eight
        fast.tamper = [&](const Sha256dJob& job, NonceRange range, ScanResult&) {
            const std::lock_guard lock(mutex);
            hashes[job.versions().size() == 8].push_back(range.count * job.versions().size());
        };
        const auto last_of = [&](int which) {
            const std::lock_guard lock(mutex);
            return hashes[which].empty() ? 0 : hashes[which].back();
        };
        Valve valve;
        Run run({valve.behind(fast)});
        run.search().set_job(std::make_shared<NumberedJob>(1, kImpossible));
        wait_until([&] { return last_of(0) >= 1u << 26; });
        valve.close_on(1);
        without_job ? run.search().set_job(nullptr) : run.search().set_paused(true);
        valve.open();
        give_it_a_chance();  // to wait for a batch that would suit the old job
        run.search().set_job(std::make_shared<NumberedJob>(2, kImpossible, kMask));
        run.search().set_paused(false);
        wait_until([&] { return last_of(1) > 0; });
        (void)run.stop();
        CHECK(hashes[1].front() <= 4096);
    }
}

TEST_CASE("a header that is used up is followed by the next one") {
    Behaviour fast = batches_of(std::uint64_t{1} << 31);
    fast.hashing = false;
    std::mutex mutex;
    std::map<std::uint32_t, std::uint64_t> nonces;  // by the midstate's first word: one for each header
    fast.tamper = [&](const Sha256dJob& job, NonceRange range, ScanResult&) {
        const std::lock_guard lock(mutex);
        nonces[job.midstates()[0][0]] += range.count;
    };
    Run run({fast, fast});
    run.search().set_job(std::make_shared<NumberedJob>(1, kImpossible));
    wait_until([&] {
        const std::lock_guard lock(mutex);
        return nonces.size() >= 4;
    });
    (void)run.stop();
    unsigned whole = 0;
    for (const auto& [header, count] : nonces) {
        CHECK(count <= std::uint64_t{1} << 32);
        if (count == std::uint64_t{1} << 32) ++whole;
    }
    CHECK(whole >= 2);
}

TEST_CASE("devices wait for a header that there is not yet, and go on with the one they were at") {
    struct GrowingJob final : NumberedJob {
        using NumberedJob::NumberedJob;
        bool has_header(std::uint64_t index) const override {
            asked = std::max(asked.load(), index);
            return index < headers;
        }
        std::atomic<std::uint64_t> headers = 1;
        mutable std::atomic<std::uint64_t> asked = 0;
    };
    Behaviour fast = batches_of(std::uint64_t{1} << 31);
    fast.hashing = false;
    std::mutex mutex;
    std::map<std::uint32_t, std::uint64_t> nonces;  // by the midstate's first word: one for each header
    fast.tamper = [&](const Sha256dJob& job, NonceRange range, ScanResult&) {
        const std::lock_guard lock(mutex);
        nonces[job.midstates()[0][0]] += range.count;
    };
    const auto searched = [&] {
        const std::lock_guard lock(mutex);
        std::uint64_t sum = 0;
        for (const auto& [header, count] : nonces) sum += count;
        return sum;
    };
    Run run({fast, fast});
    const auto job = std::make_shared<GrowingJob>(1, kImpossible);
    run.search().set_job(job);
    for (std::uint64_t headers = 1; headers <= 3; ++headers) {
        wait_until([&] { return job->asked >= headers && searched() == headers << 32; });
        give_it_a_chance();
        CHECK(searched() == headers << 32);
        job->headers = headers + 1;
        run.search().set_job(job);
    }
    (void)run.stop();
    for (const auto& [header, count] : nonces) CHECK(count <= std::uint64_t{1} << 32);
}

TEST_CASE("a device that fails leaves the stream to the others") {
    Behaviour broken = batches_of(100);
    Gate broke;
    broken.before_scan = [&](unsigned scan) {
        if (scan < 3) return;
        broke.promise.set_value();
        throw DeviceError("it broke");
    };
    Run run({broken, broke.behind(batches_of(100))});
    run.search().set_job(std::make_shared<NumberedJob>(1, kEasy));
    (void)run.wait_for(100);
    const SearchReport report = run.stop();
    CHECK(report.devices[0].failure == "it broke");
    CHECK(report.devices[1].failure.empty());
}

TEST_CASE("a stream's devices can be held back, and paused, independently") {
    Behaviour counted = batches_of(100);
    std::atomic<unsigned> scans = 0;
    counted.scans = &scans;
    Valve valve;
    Run run({valve.behind(counted)});
    run.search().set_job(std::make_shared<NumberedJob>(1, kImpossible));
    valve.close_on(1);
    (void)run.search().allow(0, 1e9);
    run.search().set_paused(true);
    (void)run.search().allow(1e12, 1e9);
    const unsigned then = scans;
    valve.open();
    give_it_a_chance();
    CHECK(scans == then);
    run.search().set_paused(false);
    wait_until([&] { return scans != then; });
    (void)run.stop();
}

TEST_CASE("devices do not more than they are allowed, but for a batch each, and share that among them") {
    constexpr std::uint64_t kAllowed = 1000;
    Valve valve;
    std::atomic<std::uint64_t> hashes = 0;  // of jobs with eight versions
    std::atomic<std::uint64_t> largest = 0;
    Behaviour counted = batches_of(std::uint64_t{1} << 26);
    counted.hashing = false;
    counted.tamper = [&](const Sha256dJob& job, NonceRange range, ScanResult&) {
        if (job.versions().size() != 8) return;
        hashes += range.count * 8;
        for (std::uint64_t then = largest; then < range.count * 8;)
            largest.compare_exchange_weak(then, range.count * 8);
    };
    Run run({valve.behind(counted), valve.behind(counted)});
    run.search().set_job(std::make_shared<NumberedJob>(1, kImpossible));
    valve.close_on(2);  // both take part
    run.search().set_job(nullptr);
    CHECK(!run.search().allow(0, kAllowed));
    valve.open();
    run.search().set_job(std::make_shared<NumberedJob>(2, kImpossible, kMask));
    for (std::uint64_t allowed = 0; allowed < 5 * kAllowed;) {
        (void)run.search().allow(kAllowed, kAllowed);
        allowed += kAllowed;
        wait_until([&] { return hashes + kAllowed >= allowed; });  // what was overdrawn before is missing
        CHECK(hashes <= allowed + kAllowed);
    }
    (void)run.stop();
    CHECK(hashes > 0);
    CHECK(largest <= kAllowed / 2);
}

TEST_CASE("a batch is not smaller than a nonce, however little is allowed") {
    Behaviour counted = batches_of(1u << 20);
    std::atomic<unsigned> scans = 0;
    counted.scans = &scans;
    std::atomic<std::uint64_t> largest = 0;
    counted.tamper = [&](const Sha256dJob&, NonceRange range, ScanResult&) {
        largest = std::max(+largest, range.count);
    };
    Run run({counted});
    (void)run.search().allow(0, 0.01);
    run.search().set_job(std::make_shared<NumberedJob>(1, kImpossible, kMask));
    wait_until([&] {
        (void)run.search().allow(1, 0.01);
        return scans >= 3;
    });
    // It has to pay for the batch before.
    wait_until([&] { return run.search().allow(0, 0.01); });
    (void)run.stop();
    CHECK(largest == 1);
}
