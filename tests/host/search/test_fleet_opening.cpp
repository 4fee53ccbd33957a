// Tests of devices that are opened while others are at work.
#include "fake_apis.hpp"
#include "host/abandonable_thread.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("GPUs join a search that goes on, and every pair is hashed once") {
    Machine machine;
    const auto request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 39'999);
    Coverage coverage(request.start, request.end, versions_of(request));
    std::atomic<int> begun = 0;
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
}

TEST_CASE("a search says when no device will join any more") {
    Machine machine;
    const auto request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 39'999);
    std::atomic<bool> complete = false;
    Behaviour behaviour;
    behaviour.before_scan = [&](unsigned) { wait_until([&] { return +complete; }); };
    machine.has(machine.cpu, probe_of("cpu:a#0"), behaviour);
    const bool with_gpu = GENERATE(false, true);
    if (with_gpu) machine.has(machine.cuda, probe_of("cuda:a#0"), behaviour, 20ms);
    Fleet fleet(kFakeBackends, selection_of({"auto"}), quick_to_find());
    Search search(request, fleet);
    Names seen;
    (void)search.run([&](const DeviceInfo& info) { seen.push_back(info.name); },
                     [&] {
                         (void)fleet.ready();  // no lock is held
                         seen.emplace_back("complete");
                         complete = true;
                     });
    CHECK(seen == (with_gpu ? Names{"cpu:a#0", "cuda:a#0", "complete"} : Names{"cpu:a#0", "complete"}));
}

TEST_CASE("what is slow to answer or to open delays nothing") {
    Machine machine;
    machine.has(machine.cpu, probe_of("cpu:a#0"));
    machine.cuda.probe = [hang = machine.hang]() -> std::vector<Probe> {
        hang.wait();
        return {};
    };
    machine.has(machine.vulkan, probe_of("vulkan:discrete#0"));
    machine.vulkan.open = [hang = machine.hang](const Probe&) -> std::unique_ptr<Device> {
        hang.wait();
        return std::make_unique<FakeDevice>("vulkan:discrete#0", genesis(), Behaviour{});
    };
    const auto before = std::chrono::steady_clock::now();
    const auto request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 9'999);
    std::vector<std::string> notices;
    {
        Behaviour slow;
        slow.batch = 100;
        slow.delay = 5ms;  // longer than the others need to begin
        machine.has(machine.cpu, probe_of("cpu:a#1"), slow);
        auto times = quick_to_find();
        times.alias = 0ms;
        Fleet fleet(kFakeBackends, selection_of({"auto"}), times);
        Search search(request, fleet);
        const auto report = search.run();
        CHECK(keys_of(report) == oracle(request));
        CHECK(names_of(report) == Names{"cpu:a#0", "cpu:a#1"});
        notices = texts_of(search.take_notices());
    }
    CHECK(std::chrono::steady_clock::now() - before < 30s);
    CHECK(std::ranges::count(notices, "cuda was still being probed when the search ended") == 1);
    CHECK(any_abandoned_threads());
}

TEST_CASE("a search with slow devices only waits for them") {
    for (const PartitionMode mode : kModes) {
        std::atomic<bool> may_open = false;
        Machine machine;
        for (auto& [api, name] :
             {std::pair(&machine.cuda, "cuda:a#0"), std::pair(&machine.vulkan, "vulkan:discrete#0")}) {
            machine.has(*api, probe_of(name));
            api->open = [&may_open, open = api->open](const Probe& probe) {
                wait_until([&] { return +may_open; });
                return open(probe);
            };
        }
        Fleet fleet(kFakeBackends, selection_of({"cuda", "vulkan"}), quick_to_find());
        CHECK(fleet.ready().empty());
        const auto request = request_of(mode, Goal::kAll, 0, 1'999);
        Search search(request, fleet);
        auto result = std::async(std::launch::async, [&] { return search.run(); });
        wait_until([&] { return search.progress().waiting; });
        CHECK(result.wait_for(0s) == std::future_status::timeout);
        may_open = true;
        const auto report = result.get();
        CHECK(keys_of(report) == oracle(request));
        CHECK(report.ending == Ending::kFinished);
        CHECK_FALSE(search.progress().waiting);
        if (mode == PartitionMode::kDynamic) continue;
        // The range was cut when both were there.
        REQUIRE(names_of(report) == Names{"cuda:a#0", "vulkan:discrete#0"});
        CHECK((report.devices[0].start == 0 && report.devices[0].end == 999));
        CHECK((report.devices[1].start == 1000 && report.devices[1].end == 1999));
        CHECK((report.devices[0].hashes == 1000 && report.devices[1].hashes == 1000));
    }
}

TEST_CASE("a static range is cut without those that do not open") {
    Machine machine;
    machine.has(machine.cpu, probe_of("cpu:a#0"));
    machine.has(machine.cuda, probe_of("cuda:a#0"));
    machine.cuda.open = [](const Probe&) -> std::unique_ptr<Device> {
        std::this_thread::sleep_for(50ms);
        throw DeviceError("its driver is too old");
    };
    Fleet fleet(kFakeBackends, selection_of({"auto"}), quick_to_find());
    const auto request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 1'999);
    Search search(request, fleet);
    const auto report = search.run();
    CHECK(keys_of(report) == oracle(request));
    REQUIRE(names_of(report) == Names{"cpu:a#0"});
    CHECK(report.devices[0].end == 1999);
    CHECK(search.take_notices() ==
          std::vector<Notice>{{Severity::kWarning, "cuda:a#0 is not used: its driver is too old"}});
}

TEST_CASE("a device that does not open in time is left out") {
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
}

TEST_CASE("stopping a search that waits for devices ends it at once") {
    Machine machine;
    machine.has(machine.cuda, probe_of("cuda:a#0"));
    machine.cuda.open = [hang = machine.hang](const Probe&) -> std::unique_ptr<Device> {
        hang.wait();
        throw DeviceError("too late");
    };
    const auto before = std::chrono::steady_clock::now();
    {
        Fleet fleet(kFakeBackends, selection_of({"cuda"}), quick_to_find());
        Search search(request_of(PartitionMode::kDynamic, Goal::kAll, 0, 999), fleet);
        auto result = std::async(std::launch::async, [&] { return search.run(); });
        wait_until([&] { return search.progress().waiting; });
        search.stop(Ending::kInterrupted);
        const auto report = result.get();
        CHECK(report.ending == Ending::kInterrupted);
        CHECK(report.devices.empty());
    }
    CHECK(std::chrono::steady_clock::now() - before < 30s);
}
