// Tests of stopping, pausing and limiting a search while it runs, on simulated threads.
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "host/search/job_stream.hpp"
#include "search_tools.hpp"
#include "tests/simulation/simulated_test.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr std::uint64_t kHugeBatch = std::uint64_t{1} << 32;

SearchRequest everything() { return request_of(PartitionMode::kDynamic, Goal::kAll, 0, 0xffffffff); }

/// Finds nothing, and takes so long for each scan.
Behaviour busy(std::chrono::microseconds delay, std::uint64_t batch = 2000) {
    Behaviour behaviour = batches_of(batch);
    behaviour.hashing = false;
    behaviour.delay = delay;
    return behaviour;
}

/// A stream of jobs that is searched until it is stopped.
struct Stream {
    explicit Stream(const std::vector<Behaviour>& behaviours) : fleet(devices_of(behaviours)) {}
    ~Stream() { search.stop(Ending::kFinished); }

    Fleet fleet;
    MiningSearch search{[](const JobHit&) {}, fleet};
    Background<std::function<SearchReport()>> result{[this] { return search.run(); }};
};

}  // namespace

TEST_CASE("a stop takes effect when the batches in hand have ended, and the first reason stays") {
    on_simulated_threads([] {
        LoneSearch run(everything(), devices_of({busy(20ms), busy(20ms), busy(20ms)}));
        Background result([&] { return run.run(); });
        wait_until([&] { return run.progress().hashes_done > 0; });
        const auto before = threads::Clock::now();
        run.stop(Ending::kLimit);
        run.stop(Ending::kInterrupted);
        const SearchReport report = result.get();
        CHECK(threads::Clock::now() - before < 45ms);  // a batch may have been about to begin
        CHECK(report.ending == Ending::kLimit);
        CHECK(report.hits.empty());
        CHECK(report.hashes > 0);
        CHECK(report.seconds > 0);
    });
}

TEST_CASE("a stop before the start, or after the end, is harmless") {
    on_simulated_threads([] {
        const SearchRequest request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 999);
        LoneSearch early(request, devices_of({Behaviour{}}));
        early.stop(Ending::kInterrupted);
        CHECK(early.run().ending == Ending::kInterrupted);

        LoneSearch late(request, devices_of({Behaviour{}}));
        CHECK(late.run().ending == Ending::kFinished);
        late.stop(Ending::kInterrupted);
    });
}

TEST_CASE("no unit takes longer than 50 ms, whatever batch the device asks for") {
    on_simulated_threads([] {
        std::uint64_t largest = 0;
        Behaviour slow = busy(0ms, kHugeBatch);
        slow.tamper = [&](const Sha256dJob&, NonceRange range, ScanResult&) {
            largest = std::max(largest, range.count);
            pass_time(range.count * 1us);
        };
        const auto report = search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 999'999), {slow});
        CHECK(report.ending == Ending::kFinished);
        CHECK(largest * 1us <= 50ms);
        CHECK(largest * 1us > 20ms);
    });
}

TEST_CASE("units do not shrink to nothing where each scan takes long whatever its size") {
    on_simulated_threads([] {
        std::atomic<unsigned> scans = 0;
        Behaviour slow = busy(60ms, kHugeBatch);
        slow.scans = &scans;
        const auto report = search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 39'999), {slow});
        CHECK(report.ending == Ending::kFinished);
        CHECK(scans <= 12);
    });
}

TEST_CASE("a paused search does nothing, goes on afterwards, and can be stopped") {
    for (const bool is_stopped : {false, true}) {
        on_simulated_threads([is_stopped] {
            const SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 4'999);
            Coverage coverage(request.start, request.end, versions_of(request));
            Behaviour behaviour = counting(coverage, 100);
            behaviour.delay = 10ms;
            LoneSearch run(request, devices_of({behaviour, behaviour}));
            run.set_paused(true);
            Background result([&] { return run.run(); });
            give_it_a_chance();
            CHECK(run.progress().hashes_done == 0);
            CHECK(run.progress().paused);
            run.set_paused(false);
            wait_until([&] { return run.progress().hashes_done > 0; });
            run.set_paused(true);
            give_it_a_chance();  // the batches in hand end
            const std::uint64_t done = run.progress().hashes_done;
            give_it_a_chance();
            CHECK(run.progress().hashes_done == done);
            CHECK_FALSE(result.ended());
            is_stopped ? run.stop(Ending::kInterrupted) : run.set_paused(false);
            CHECK(result.get().ending == (is_stopped ? Ending::kInterrupted : Ending::kFinished));
            if (!is_stopped) CHECK(coverage.exactly_once());
        });
    }
}

TEST_CASE("a device that is paused for two reasons keeps its piece, and waits until both are gone") {
    on_simulated_threads([] {
        Fleet fleet(devices_of(std::vector<Behaviour>(2)));
        const auto request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 1'999);
        Search search(request, fleet);
        CHECK(search.devices().empty());
        search.pause_device("fake:nothing", PauseReason::kUser, true);
        search.pause_device("fake:1", PauseReason::kTemperature, true);
        search.pause_device("fake:1", PauseReason::kUser, true);
        Background result([&] { return search.run(); });
        wait_until([&] { return search.progress().hashes_done >= 1000; });
        search.pause_device("fake:1", PauseReason::kTemperature, false);
        give_it_a_chance();
        CHECK(search.progress().hashes_done == 1000);
        const std::vector<DeviceStatus> devices = search.devices();
        REQUIRE(devices.size() == 2);
        CHECK(devices[0].report.info.name == "fake:0");
        CHECK(devices[0].report.hashes == 1000);
        CHECK_FALSE(devices[0].paused_by_user);
        CHECK(devices[1].paused_by_user);
        CHECK_FALSE(devices[1].paused_for_heat);
        search.pause_device("fake:1", PauseReason::kUser, false);
        CHECK(keys_of(result.get()) == oracle(request));
        CHECK(search.devices().empty());
    });
}

TEST_CASE("a search whose devices are all paused waits, as does the next one, and can be stopped") {
    on_simulated_threads([] {
        Fleet fleet(devices_of({busy(1ms), busy(1ms)}));
        for (const char* device : {"fake:0", "fake:1"})
            Search(everything(), fleet).pause_device(device, PauseReason::kUser, true);
        for (int i = 0; i < 2; ++i) {
            Search search(everything(), fleet);
            Background result([&] { return search.run(); });
            give_it_a_chance();
            CHECK(search.progress().hashes_done == 0);
            CHECK(search.progress().devices_paused);
            CHECK_FALSE(search.progress().waiting);
            if (i == 1) {  // others go on
                search.pause_device("fake:0", PauseReason::kUser, false);
                wait_until([&] { return search.progress().hashes_done > 0; });
                CHECK_FALSE(search.progress().devices_paused);
            }
            search.stop(Ending::kInterrupted);
            const SearchReport report = result.get();
            CHECK(report.ending == Ending::kInterrupted);
            CHECK(report.devices[1].hashes == 0);
        }
    });
}

TEST_CASE("a job that comes after a pause begins with a small batch, whatever the job before was like") {
    for (const bool without_job : {true, false}) {  // or paused by the user
        on_simulated_threads([without_job] {
            std::vector<std::uint64_t> hashes[2];  // of each batch, of jobs with one version and with eight
            Behaviour fast = busy(1ms, std::uint64_t{1} << 26);
            fast.tamper = [&](const Sha256dJob& job, NonceRange range, ScanResult&) {
                hashes[job.versions().size() == 8].push_back(range.count * job.versions().size());
            };
            Stream stream({fast});
            stream.search.set_job(std::make_shared<NumberedJob>(std::uint8_t{1}));
            wait_until([&] { return !hashes[0].empty() && hashes[0].back() >= 1u << 26; });
            without_job ? stream.search.set_job(nullptr) : stream.search.set_paused(true);
            give_it_a_chance();  // to wait for a batch that would suit the old job
            stream.search.set_job(std::make_shared<NumberedJob>(std::uint8_t{2}, Hash256{}, kMask));
            stream.search.set_paused(false);
            wait_until([&] { return !hashes[1].empty(); });
            CHECK(hashes[1].front() <= 4096);
        });
    }
}

TEST_CASE("devices wait for a header that there is not yet, and go on with the one they were at") {
    struct GrowingJob final : NumberedJob {
        using NumberedJob::NumberedJob;
        bool has_header(std::uint64_t index) const override {
            asked = std::max(asked, index);
            return index < headers;
        }
        std::uint64_t headers = 1;
        mutable std::uint64_t asked = 0;
    };
    on_simulated_threads([] {
        std::map<std::uint32_t, std::uint64_t> nonces;  // by the midstate's first word: one for each header
        std::uint64_t searched = 0;
        Behaviour fast = busy(1ms, std::uint64_t{1} << 31);
        fast.tamper = [&](const Sha256dJob& job, NonceRange range, ScanResult&) {
            nonces[job.midstates()[0][0]] += range.count;
            searched += range.count;
        };
        Stream stream({fast, fast});
        const auto job = std::make_shared<GrowingJob>(std::uint8_t{1});
        stream.search.set_job(job);
        for (std::uint64_t headers = 1; headers <= 3; ++headers) {
            wait_until([&] { return job->asked >= headers && searched == headers << 32; });
            give_it_a_chance();
            CHECK(searched == headers << 32);
            job->headers = headers + 1;
            stream.search.set_job(job);
        }
        for (const auto& [header, count] : nonces) CHECK(count <= std::uint64_t{1} << 32);
    });
}

TEST_CASE("devices do not more than they are allowed, but for a batch each, and share that among them") {
    on_simulated_threads([] {
        constexpr std::uint64_t kAllowed = 1000;
        std::uint64_t hashes = 0, largest = 0;
        Behaviour counted = busy(1ms, std::uint64_t{1} << 26);
        counted.tamper = [&](const Sha256dJob& job, NonceRange range, ScanResult&) {
            largest = std::max(largest, range.count * job.versions().size());
            hashes += range.count * job.versions().size();
        };
        Stream stream({counted, counted});
        give_it_a_chance();  // both take part
        CHECK_FALSE(stream.search.allow(0, kAllowed));
        stream.search.set_job(std::make_shared<NumberedJob>(std::uint8_t{2}, Hash256{}, kMask));
        for (std::uint64_t allowed = kAllowed; allowed <= 5 * kAllowed; allowed += kAllowed) {
            (void)stream.search.allow(kAllowed, kAllowed);
            give_it_a_chance();
            CHECK(hashes + kAllowed >= allowed);  // what was overdrawn before is missing
            CHECK(hashes <= allowed + kAllowed);
        }
        CHECK(largest <= kAllowed / 2);
    });
}

TEST_CASE("a batch is not smaller than a nonce, however little is allowed") {
    on_simulated_threads([] {
        std::uint64_t scans = 0, largest = 0;
        Behaviour counted = busy(1ms, 1u << 20);
        counted.tamper = [&](const Sha256dJob&, NonceRange range, ScanResult&) {
            ++scans;
            largest = std::max(largest, range.count);
        };
        Stream stream({counted});
        (void)stream.search.allow(0, 0.01);
        stream.search.set_job(std::make_shared<NumberedJob>(std::uint8_t{1}, Hash256{}, kMask));
        wait_until([&] {
            (void)stream.search.allow(1, 0.01);
            return scans >= 3;
        });
        wait_until([&] { return stream.search.allow(0, 0.01); });  // it has to pay for the batch before
        CHECK(largest == 1);
    });
}
