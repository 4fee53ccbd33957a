// Tests of one fleet for successive searches: participating devices, pausing, and waiting before a new search.
#include "fake_apis.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

using Clock = std::chrono::steady_clock;

Behaviour endless(std::chrono::microseconds delay) {
    Behaviour behaviour;
    behaviour.hashing = false;
    behaviour.delay = delay;
    return behaviour;
}

SearchRequest everything() { return request_of(PartitionMode::kDynamic, Goal::kAll, 0, 0xffffffff); }

}  // namespace

TEST_CASE("devices prove themselves once for all searches of their fleet") {
    std::atomic<int> attached = 0;
    std::atomic<unsigned> scans = 0;
    Coverage first_job(0, 4'999, {genesis().version()});
    Behaviour good = counting(first_job);
    good.attach = [&] { ++attached; };
    good.scans = &scans;
    Behaviour blind = good;
    blind.tamper_self_test = [](const Sha256dJob&, NonceRange, ScanResult& result) { result.clear(); };
    Fleet fleet(devices_of({good, blind, good}));
    CHECK(fleet.ready().size() == 3);

    const auto request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 4'999);
    Search search(request, fleet);
    const auto report = search.run();
    CHECK(keys_of(report) == oracle(request));
    CHECK(names_of(report) == std::vector<std::string>{"fake:0", "fake:1", "fake:2"});
    CHECK(contains(report.devices[1].failure, "self-test failed"));
    CHECK(attached == 3);
    CHECK(fleet.ready().size() == 2);

    for (int i = 0; i < 3; ++i) {  // the one that failed stays out
        const auto next = request_of(PartitionMode::kDynamic, Goal::kFirst, 0, 4'999);
        const auto found = Search(next, fleet).run();
        CHECK(found.ending == Ending::kFinished);
        CHECK(found.hits.size() == 1);
        CHECK(names_of(found) == std::vector<std::string>{"fake:0", "fake:2"});
    }
    CHECK(attached == 3);
}

TEST_CASE("a fleet whose devices have all failed says why") {
    Behaviour failing;
    failing.before_scan = [](unsigned) { throw DeviceError("the card fell off the bus"); };
    Fleet fleet(devices_of({failing}));
    CHECK(Search(everything(), fleet).run().ending == Ending::kFailed);
    Search next(everything(), fleet);
    std::string message;
    try {
        (void)next.run();
    } catch (const NoDeviceError& error) {
        message = error.what();
    }
    CHECK(message == "no usable device; fake:0: the card fell off the bus");
}

TEST_CASE("each device is announced once, on the thread of the search") {
    Fleet fleet(devices_of(std::vector<Behaviour>(3)));
    for (int i = 0; i < 2; ++i) {
        std::vector<std::string> names;
        const auto caller = std::this_thread::get_id();
        Search search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 999), fleet);
        (void)search.run([&](const DeviceInfo& info) {
            CHECK(std::this_thread::get_id() == caller);
            names.push_back(info.name);
        });
        CHECK(names == std::vector<std::string>{"fake:0", "fake:1", "fake:2"});
    }
    Search search(everything(), fleet);
    CHECK_THROWS_AS(search.run([](const DeviceInfo&) { throw InputError("of the caller"); }), InputError);
    CHECK(Search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 999), fleet).run().hashes == 1000);
}

TEST_CASE("a paused device gets no work, and others go on") {
    std::atomic<unsigned> scans[2] = {0, 0};
    Valve valves[2];
    std::vector<Behaviour> behaviours;
    for (int i = 0; i < 2; ++i) {
        behaviours.push_back(valves[i].behind(endless(1ms)));
        behaviours[i].scans = &scans[i];
    }
    Fleet fleet(devices_of(behaviours));
    /// Returns the number of its scans, of which the last one is in hand.
    const auto pause = [&](Search& search, int device) {
        valves[device].close_on(1);
        search.pause_device("fake:" + std::to_string(device), PauseReason::kUser, true);
        const unsigned begun = scans[device];
        valves[device].open();
        return begun;
    };
    const auto goes_on = [&](int device) {
        wait_until([&, before = +scans[device]] { return scans[device] != before; });
    };
    unsigned of_paused = 0;
    {
        Search search(everything(), fleet);
        auto result = std::async(std::launch::async, [&] { return search.run(); });
        search.pause_device("fake:nothing", PauseReason::kUser, true);
        of_paused = pause(search, 1);
        goes_on(0);
        const unsigned of_other = pause(search, 0);  // all are paused: the search waits
        give_it_a_chance();
        CHECK(scans[0] == of_other);
        CHECK(scans[1] == of_paused);
        CHECK(result.wait_for(0s) == std::future_status::timeout);
        CHECK_FALSE(search.progress().waiting);
        search.pause_device("fake:0", PauseReason::kUser, false);
        goes_on(0);
        search.stop(Ending::kLimit);
        CHECK(result.get().ending == Ending::kLimit);
    }
    // It stays so in the next search.
    Search search(everything(), fleet);
    auto result = std::async(std::launch::async, [&] { return search.run(); });
    goes_on(0);
    give_it_a_chance();
    CHECK(scans[1] == of_paused);
    search.pause_device("fake:1", PauseReason::kUser, false);
    goes_on(1);
    search.stop(Ending::kLimit);
    (void)result.get();
}

TEST_CASE("a device that is paused for two reasons waits until both are gone") {
    Fleet fleet(devices_of(std::vector<Behaviour>(2)));
    const auto request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 1'999);
    Search search(request, fleet);
    CHECK(search.devices().empty());
    search.pause_device("fake:1", PauseReason::kTemperature, true);
    search.pause_device("fake:1", PauseReason::kUser, true);
    auto result = std::async(std::launch::async, [&] { return search.run(); });
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
}

TEST_CASE("paused devices keep their piece, and a stop reaches them") {
    Fleet fleet(devices_of(std::vector<Behaviour>(2)));
    const auto request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 1'999);
    Search search(request, fleet);
    search.pause_device("fake:1", PauseReason::kUser, true);
    auto result = std::async(std::launch::async, [&] { return search.run(); });
    wait_until([&] { return search.progress().hashes_done >= 1000; });
    give_it_a_chance();
    CHECK(search.progress().hashes_done == 1000);
    SECTION("goes on") {
        search.pause_device("fake:1", PauseReason::kUser, false);
        CHECK(keys_of(result.get()) == oracle(request));
    }
    SECTION("is stopped") {
        search.stop(Ending::kInterrupted);
        const auto report = result.get();
        CHECK(report.ending == Ending::kInterrupted);
        CHECK(report.devices[1].hashes == 0);
    }
}

TEST_CASE("a new job reaches every device as soon as its batch has ended") {
    // How many milliseconds that takes is measured by `gpuminer bench latency`.
    constexpr std::size_t kDevices = 3;
    std::atomic<int> job = 0;
    std::atomic<unsigned> begun[kDevices][7] = {};  // scans of each device for each job
    std::atomic<bool> stopped = false;
    std::atomic<unsigned> begun_after_stop[kDevices] = {};
    std::vector<Behaviour> behaviours(kDevices, endless(5ms));
    for (std::size_t i = 0; i < kDevices; ++i) {
        behaviours[i].can_hang = true;
        behaviours[i].before_scan = [&, i](unsigned) {
            ++begun[i][job];
            if (stopped) ++begun_after_stop[i];
        };
    }
    // Nothing is to wait for a clock.
    Fleet fleet(devices_of(behaviours), {.end = 600s, .tick = 600s});
    const auto start = Clock::now();
    for (job = 0; job < 7; ++job) {
        Search search(everything(), fleet);
        auto result = std::async(std::launch::async, [&] { return search.run(); });
        for (auto& scans : begun) wait_until([&] { return scans[job] >= 2; });
        for (auto& late : begun_after_stop) late = 0;
        search.stop(Ending::kInterrupted);
        stopped = true;
        CHECK(result.get().ending == Ending::kInterrupted);
        for (auto& late : begun_after_stop) CHECK(late <= 1);  // one whose unit it had taken before
        stopped = false;
    }
    CHECK(Clock::now() - start < 300s);
}
