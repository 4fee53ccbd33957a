// Tests of devices that are opened while others are at work, on simulated threads.
#include "fake_apis.hpp"
#include "tests/simulation/simulated_test.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("GPUs join a search that goes on, and every pair is hashed once") {
    on_simulated_threads([] {
        Machine machine;
        const auto request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 39'999);
        Coverage coverage(request.start, request.end, versions_of(request));
        int begun = 0;
        Behaviour behaviour = counting(coverage, 100);
        behaviour.before_scan = [&](unsigned scan) {  // none is done before all have begun
            if (scan == 1) ++begun;
            wait_until([&] { return begun >= 3; });
        };
        machine.has(machine.cpu, probe_of("cpu:a#0"), behaviour);
        machine.has(machine.vulkan, probe_of("vulkan:discrete#0"), behaviour, 20ms);
        machine.has(machine.cuda, probe_of("cuda:a#0"), behaviour, 60ms);
        Fleet fleet(kFakeBackends, selection_of({"auto"}), quick_to_find());
        CHECK(fleet.ready().size() == 1);
        Search search(request, fleet);
        Names joined;
        const auto report = search.run([&](const DeviceInfo& info) { joined.push_back(info.name); });
        CHECK(report.ending == Ending::kFinished);
        CHECK(keys_of(report) == oracle(request));
        CHECK(coverage.exactly_once());
        CHECK(joined.front() == "cpu:a#0");
        CHECK(joined.size() == 3);
        CHECK(names_of(report) == Names{"cpu:a#0", "cuda:a#0", "vulkan:discrete#0"});
        for (const DeviceReport& device : report.devices) CHECK(device.hashes > 0);
        CHECK(search.take_notices().empty());
    });
}

TEST_CASE("a search says when no device will join any more") {
    on_simulated_threads([] {
        const auto request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 39'999);
        const Event complete;
        Machine machine;
        machine.has(machine.cpu, probe_of("cpu:a#0"), waiting_for(complete, {}));
        machine.has(machine.cuda, probe_of("cuda:a#0"), waiting_for(complete, {}), 20ms);
        Fleet fleet(kFakeBackends, selection_of({"auto"}), quick_to_find());
        Search search(request, fleet);
        Names seen;
        (void)search.run([&](const DeviceInfo& info) { seen.push_back(info.name); },
                         [&] {
                             (void)fleet.ready();  // no lock is held
                             seen.emplace_back("complete");
                             complete.happen();
                         });
        CHECK(seen == Names{"cpu:a#0", "cuda:a#0", "complete"});
    });
}

TEST_CASE("a search that ended before an API answered says so") {
    on_simulated_threads([] {
        Machine machine;
        machine.has(machine.cpu, probe_of("cpu:a#0"));
        machine.cuda.probe = [hang = machine.hang]() -> std::vector<Probe> {
            hang.wait();
            return {};
        };
        Fleet fleet(kFakeBackends, selection_of({"auto"}), quick_to_find());
        const auto request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 9'999);
        Search search(request, fleet);
        CHECK(keys_of(search.run()) == oracle(request));
        CHECK(texts_of(search.take_notices()) == Names{"cuda was still being probed when the search ended"});
    });
}

TEST_CASE("a search with slow devices only waits for them, and cuts a static range among all of them") {
    on_simulated_threads([] {
        const Event may_open;
        Machine machine;
        machine.has(machine.cuda, probe_of("cuda:a#0"));
        machine.has(machine.vulkan, probe_of("vulkan:discrete#0"));
        for (FakeApi* const api : {&machine.cuda, &machine.vulkan}) {
            api->open = [may_open, open = api->open](const Probe& probe) {
                may_open.wait();
                return open(probe);
            };
        }
        Fleet fleet(kFakeBackends, selection_of({"cuda", "vulkan"}), quick_to_find());
        CHECK(fleet.ready().empty());
        const auto request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 1'999);
        Search search(request, fleet);
        Background result([&] { return search.run(); });
        wait_until([&] { return search.progress().waiting; });
        CHECK_FALSE(result.ended());
        may_open.happen();
        const auto report = result.get();
        CHECK(keys_of(report) == oracle(request));
        CHECK(report.ending == Ending::kFinished);
        CHECK_FALSE(search.progress().waiting);
        REQUIRE(names_of(report) == Names{"cuda:a#0", "vulkan:discrete#0"});
        CHECK((report.devices[0].start == 0 && report.devices[0].end == 999));
        CHECK((report.devices[1].start == 1000 && report.devices[1].end == 1999));
        CHECK((report.devices[0].hashes == 1000 && report.devices[1].hashes == 1000));
    });
}

TEST_CASE("a device that does not open in time is left out") {
    on_simulated_threads([] {
        Machine machine;
        machine.has(machine.cpu, probe_of("cpu:a#0"));
        machine.has(machine.cuda, probe_of("cuda:a#0"));
        machine.cuda.open = [hang = machine.hang](const Probe&) -> std::unique_ptr<Device> {
            hang.wait();
            return std::make_unique<FakeDevice>("cuda:a#0", genesis(), Behaviour{});
        };
        FleetTimes times = quick_to_find();
        times.open = 200ms;
        Fleet fleet(kFakeBackends, selection_of({"auto"}), times);
        Search search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 999), fleet);
        CHECK(names_of(search.run()) == Names{"cpu:a#0"});
        CHECK(texts_of(search.take_notices()) == Names{"cuda:a#0 is not used: it did not open within 0.2 s"});
    });
}

TEST_CASE("a stop ends a search that waits for devices at once") {
    on_simulated_threads([] {
        Machine machine;
        machine.has(machine.cuda, probe_of("cuda:a#0"));
        machine.cuda.open = [hang = machine.hang](const Probe&) -> std::unique_ptr<Device> {
            hang.wait();
            throw DeviceError("too late");
        };
        FleetTimes times = quick_to_find();
        times.tick = 1h;  // nothing else wakes it up
        Fleet fleet(kFakeBackends, selection_of({"cuda"}), times);
        Search search(request_of(PartitionMode::kDynamic, Goal::kAll, 0, 999), fleet);
        Background result([&] { return search.run(); });
        wait_until([&] { return search.progress().waiting; });
        const auto before = threads::Clock::now();
        search.stop(Ending::kInterrupted);
        const auto report = result.get();
        CHECK(threads::Clock::now() - before < 10ms);
        CHECK(report.ending == Ending::kInterrupted);
        CHECK(report.devices.empty());
    });
}
