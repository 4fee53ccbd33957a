// Tests of one fleet for successive searches: its devices, proven once, announced to each search.
#include <atomic>
#include <thread>

#include "search_tools.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

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
