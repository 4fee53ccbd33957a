// The pacer: the thread between a work client and the search.
#include "cli/run/pacer.hpp"

#include "tests/host/search/search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

class EndlessJob : public MiningJob {
public:
    BlockHeader header(std::uint64_t index) const override {
        BlockHeader header = genesis();
        header.bytes[4] = static_cast<std::uint8_t>(index);
        return header;
    }
    Hash256 target() const override { return {}; }
    std::uint32_t version_mask() const override { return 0; }
};

/// Takes 1 ms for a batch of 1000: about a million hashes a second.
Behaviour steady() {
    Behaviour behaviour = batches_of(1000);
    behaviour.hashing = false;
    behaviour.delay = 1ms;
    return behaviour;
}

struct PacedSearch {
    explicit PacedSearch(std::optional<double> limit, const Behaviour& behaviour = steady())
        : fleet(devices_of({behaviour})),
          search([](const JobHit&) {}, fleet),
          pacer(search, kSha256d, limit),
          result(std::async(std::launch::async, [this] { return search.run(); })) {}
    ~PacedSearch() {
        search.stop(Ending::kFinished);
        result.wait();
    }

    Fleet fleet;
    MiningSearch search;
    Pacer pacer;
    std::future<SearchReport> result;
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
    PacedSearch run(std::nullopt);
    const auto began = std::chrono::steady_clock::now();
    while (run.pacer.hash_rate() == 0) {
        REQUIRE(std::chrono::steady_clock::now() - began < 1min);
        std::this_thread::sleep_for(5ms);
    }
    for (std::uint64_t then = 0; then != run.search.progress().hashes_done;) {  // or else it never ends
        then = run.search.progress().hashes_done;
        std::this_thread::sleep_for(300ms);
    }
    // An end of work does not make the devices slow.
    CHECK(run.pacer.hash_rate() > 0);
}

TEST_CASE("a limit of the hash rate is kept, evenly") {
    constexpr double kLimit = 50'000;
    std::atomic<std::uint64_t> begun = 0;
    std::atomic<std::uint64_t> largest = 0;
    Behaviour fast = batches_of(1u << 20);
    fast.hashing = false;
    fast.tamper = [&](const Sha256dJob&, NonceRange range, ScanResult&) {
        begun += range.count;
        largest = std::max(+largest, range.count);
    };
    PacedSearch run(kLimit, fast);
    CHECK(run.pacer.hash_rate() == kLimit);  // as long as nothing else is known
    std::this_thread::sleep_for(50ms);
    CHECK(run.search.progress().hashes_done == 0);  // no warm-up
    const auto before = std::chrono::steady_clock::now();
    run.pacer.set_job(std::make_shared<EndlessJob>());
    while (begun < static_cast<std::uint64_t>(kLimit) / 2) {
        std::this_thread::sleep_for(1ms);
        const auto hashes = static_cast<double>(begun);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
        // What had been saved up, and one batch.
        CHECK(hashes <= kLimit * (seconds + 0.2) + 1);
    }
    CHECK(largest <= kLimit / 10);
    CHECK(run.pacer.hash_rate() <= kLimit);
}

TEST_CASE("devices that do not reach the limit are measured") {
    PacedSearch run(1e9, steady());
    run.pacer.set_job(std::make_shared<EndlessJob>());
    while (run.pacer.hash_rate() == 1e9) std::this_thread::sleep_for(5ms);
    CHECK(run.pacer.hash_rate() <= 1.1e6);
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
