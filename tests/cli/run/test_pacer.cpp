// The pacer: the thread between a work client and the search, as a simulated one.
#include "cli/run/pacer.hpp"

#include "tests/host/search/search_tools.hpp"
#include "tests/simulation/simulated_test.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

/// Takes 1 ms for a batch of 1000: a million hashes a second.
Behaviour steady() {
    Behaviour behaviour = batches_of(1000);
    behaviour.hashing = false;
    behaviour.delay = 1ms;
    return behaviour;
}

struct PacedSearch {
    explicit PacedSearch(std::optional<double> limit, const Behaviour& behaviour = steady())
        : fleet(devices_of({behaviour})), pacer(search, kSha256d, limit) {}
    ~PacedSearch() { search.stop(Ending::kFinished); }

    Fleet fleet;
    MiningSearch search{[](const JobHit&) {}, fleet};
    Pacer pacer;
    Background<std::function<SearchReport()>> result{[this] { return search.run(); }};
};

/// A meter that is looked after every 10 ms, on a clock of its own.
struct Measured {
    explicit Measured(std::optional<double> limit) : meter(limit, now) {}
    void pass(int ticks, std::uint64_t hashes_in_each, bool held_back) {
        for (; ticks > 0; --ticks) {
            now += 10ms;
            hashes += hashes_in_each;
            meter.observe(now, hashes, held_back);
        }
    }

    RateMeter::Time now{};
    std::uint64_t hashes = 0;
    RateMeter meter;
};

}  // namespace

TEST_CASE("the rate is known before the first job, and the warm-up ends without one") {
    on_simulated_threads([] {
        PacedSearch run(std::nullopt);
        CHECK(run.pacer.hash_rate() == 0);
        pass_time(1400ms);
        CHECK(run.pacer.hash_rate() == Approx(1e6).epsilon(0.05));
        const std::uint64_t then = run.search.progress().hashes_done;
        pass_time(300ms);
        const std::uint64_t at_the_end = run.search.progress().hashes_done;
        CHECK(at_the_end > then);
        pass_time(1min);
        CHECK(run.search.progress().hashes_done == at_the_end);
        // An end of work does not make the devices slow.
        CHECK(run.pacer.hash_rate() == Approx(1e6).epsilon(0.05));
    });
}

TEST_CASE("a limit of the hash rate is kept, evenly") {
    on_simulated_threads([] {
        constexpr double kLimit = 50'000;
        std::uint64_t begun = 0, largest = 0;
        Behaviour fast = batches_of(1u << 20);
        fast.hashing = false;
        fast.delay = 100us;
        fast.tamper = [&](const Sha256dJob&, NonceRange range, ScanResult&) {
            begun += range.count;
            largest = std::max(largest, range.count);
        };
        PacedSearch run(kLimit, fast);
        CHECK(run.pacer.hash_rate() == kLimit);  // as long as nothing else is known
        pass_time(50ms);
        CHECK(begun == 0);  // no warm-up
        run.pacer.set_job(std::make_shared<NumberedJob>(std::uint8_t{1}));
        for (double seconds = 0; seconds < 1; seconds += 0.001) {
            pass_time(1ms);
            // What had been saved up, and one batch.
            CHECK(static_cast<double>(begun) <= kLimit * (seconds + 0.2) + 1);
            CHECK(static_cast<double>(begun) >= kLimit * (seconds - 0.2));
        }
        CHECK(largest <= kLimit / 10);
        CHECK(run.pacer.hash_rate() <= kLimit);
    });
}

TEST_CASE("devices that do not reach the limit are measured") {
    on_simulated_threads([] {
        PacedSearch run(1e9, steady());
        run.pacer.set_job(std::make_shared<NumberedJob>(std::uint8_t{1}));
        pass_time(10s);
        CHECK(run.pacer.hash_rate() == Approx(1e6).epsilon(0.05));
    });
}

TEST_CASE("the rate under a limit is the limit, whatever happens in a moment") {
    Measured measured(20'000);
    CHECK(measured.meter.rate() == 20'000);
    measured.pass(30, 0, false);  // the devices are starting
    CHECK(measured.meter.rate() == 20'000);
    for (int burst = 0; burst < 10; ++burst) {
        measured.pass(1, 2000, true);
        measured.pass(9, 0, true);
        CHECK(measured.meter.rate() == 20'000);
    }
    measured.pass(30, 2, false);  // a busy machine
    measured.pass(1, 2000, true);
    CHECK(measured.meter.rate() == 20'000);
    measured.now += 60s;  // an outage
    measured.meter.restart(measured.now, measured.hashes);
    measured.pass(60, 10, false);
    CHECK(measured.meter.rate() == 20'000);
}

TEST_CASE("the rate under a limit is the devices' rate when they do not reach it, and the limit again when they do") {
    Measured measured(20'000);
    measured.pass(200, 50, false);
    CHECK(measured.meter.rate() == Approx(5000));
    measured.meter.restart(measured.now += 60s, measured.hashes);
    measured.pass(200, 50, false);
    CHECK(measured.meter.rate() == Approx(5000));
    measured.pass(30, 200, true);
    CHECK(measured.meter.rate() == 20'000);
}

TEST_CASE("without a limit the rate is what is measured") {
    Measured measured(std::nullopt);
    CHECK(measured.meter.rate() == 0);
    measured.pass(75, 100, false);
    CHECK(measured.meter.rate() == Approx(10'000));
    measured.pass(2000, 200, false);
    CHECK(measured.meter.rate() == Approx(20'000).epsilon(0.01));
}

TEST_CASE("the rate is not known while devices are starting, and then right at once") {
    Measured measured(std::nullopt);
    measured.pass(40, 0, false);  // on a busy machine
    measured.pass(5, 0, false);
    measured.pass(20, 1, false);
    measured.pass(25, 30, false);
    CHECK(measured.meter.rate() == 0);
    measured.pass(60, 100, false);
    CHECK(measured.meter.rate() > 5'000);
    measured.pass(150, 100, false);
    CHECK(measured.meter.rate() == Approx(10'000).epsilon(0.2));
}

TEST_CASE("a rate that does not settle is known after two seconds, or when the work ends") {
    Measured measured(std::nullopt);
    for (int window = 0; window < 7; ++window) measured.pass(25, window % 2 == 0 ? 100 : 300, false);
    CHECK(measured.meter.rate() == Approx(20'000).epsilon(0.3));

    Measured ended(std::nullopt);
    ended.pass(25, 100, false);
    ended.pass(25, 300, false);
    CHECK(ended.meter.rate() == 0);
    ended.meter.restart(ended.now, ended.hashes);
    CHECK(ended.meter.rate() == Approx(30'000));
}
