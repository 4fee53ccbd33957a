// One fleet for one search after the other: who takes part, pausing, and how soon a new job is worked on.
#include "fake_apis.hpp"
#include "messages.hpp"

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
    blind.tamper_self_test = [](const ScanJob&, NonceRange, ScanResult& result) { result.clear(); };
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
    std::vector<Behaviour> behaviours(2, endless(1ms));
    for (int i = 0; i < 2; ++i) behaviours[i].scans = &scans[i];
    Fleet fleet(devices_of(behaviours));
    const auto standstill = [&](int device) {
        std::this_thread::sleep_for(20ms);  // the batch in hand
        const unsigned before = scans[device];
        std::this_thread::sleep_for(60ms);
        return scans[device] == before;
    };
    const auto goes_on = [&](int device) {
        const auto limit = Clock::now() + 60s;
        const unsigned before = scans[device];
        while (scans[device] == before && Clock::now() < limit) std::this_thread::sleep_for(1ms);
        return scans[device] != before;
    };
    {
        Search search(everything(), fleet);
        auto result = std::async(std::launch::async, [&] { return search.run(); });
        while (scans[0] == 0 || scans[1] == 0) std::this_thread::sleep_for(1ms);
        search.pause_device("fake:1", true);
        search.pause_device("fake:nothing", true);
        CHECK(standstill(1));
        CHECK(goes_on(0));
        search.pause_device("fake:0", true);  // all are paused: the search waits
        CHECK(standstill(0));
        CHECK(result.wait_for(0s) == std::future_status::timeout);
        CHECK_FALSE(search.progress().waiting);
        search.pause_device("fake:0", false);
        CHECK(goes_on(0));
        search.stop(Ending::kLimit);
        CHECK(result.get().ending == Ending::kLimit);
    }
    // It stays so in the next search.
    Search search(everything(), fleet);
    auto result = std::async(std::launch::async, [&] { return search.run(); });
    CHECK(standstill(1));
    search.pause_device("fake:1", false);
    CHECK(goes_on(1));
    search.stop(Ending::kLimit);
    (void)result.get();
}

TEST_CASE("paused devices keep their piece, and a stop reaches them") {
    Fleet fleet(devices_of(std::vector<Behaviour>(2)));
    const auto request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 1'999);
    Search search(request, fleet);
    search.pause_device("fake:1", true);
    auto result = std::async(std::launch::async, [&] { return search.run(); });
    while (search.progress().hashes_done < 1000) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(30ms);
    CHECK(search.progress().hashes_done == 1000);
    SECTION("goes on") {
        search.pause_device("fake:1", false);
        CHECK(keys_of(result.get()) == oracle(request));
    }
    SECTION("is stopped") {
        search.stop(Ending::kInterrupted);
        const auto report = result.get();
        CHECK(report.ending == Ending::kInterrupted);
        CHECK(report.devices[1].hashes == 0);
    }
}

TEST_CASE("a new job reaches every device within 100 ms") {
    constexpr std::size_t kDevices = 3;
    // Each scan takes 50 ms, and notes when it began.
    std::vector<std::atomic<Clock::time_point>> began(kDevices);
    std::vector<Behaviour> behaviours(kDevices, endless(50ms));
    for (std::size_t i = 0; i < kDevices; ++i) {
        began[i] = Clock::time_point::min();
        behaviours[i].can_hang = true;
        behaviours[i].before_scan = [&, i](unsigned) { began[i] = Clock::now(); };
    }
    Fleet fleet(devices_of(behaviours));
    std::vector<double> milliseconds;
    for (int round = 0; round < 7; ++round) {
        Search old_job(everything(), fleet);
        auto result = std::async(std::launch::async, [&] { return old_job.run(); });
        std::this_thread::sleep_for(120ms + round * 13ms);
        const auto stopped = Clock::now();
        old_job.stop(Ending::kInterrupted);
        CHECK(result.get().ending == Ending::kInterrupted);
        const auto renewed = Clock::now();
        Search new_job(everything(), fleet);
        result = std::async(std::launch::async, [&] { return new_job.run(); });
        auto last = stopped;
        for (auto& time : began) {
            while (time.load() < renewed) std::this_thread::sleep_for(1ms);
            last = std::max(last, time.load());
        }
        milliseconds.push_back(std::chrono::duration<double, std::milli>(last - stopped).count());
        new_job.stop(Ending::kInterrupted);
        (void)result.get();
    }
    std::ranges::sort(milliseconds);
    INFO("the slowest took " << milliseconds.back() << " ms");
    CHECK(milliseconds[3] <= 100);  // the machine may be busy now and then
}
