// Tests of devices that do not return. The search goes on without them, and later results of theirs change nothing.
#include "fake_apis.hpp"
#include "host/abandonable_thread.hpp"
#include "tests/messages.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr const char* kSilent = "it did not respond for 0.5 s";

FleetTimes quick_to_give_up() { return {.answer = 500ms, .end = 50ms, .close = 20ms, .tick = 10ms}; }

/// Hangs in its third scan; `in_it` counts devices that do.
Behaviour hanging(const Machine& machine, Coverage& coverage, std::atomic<int>& in_it) {
    Behaviour behaviour = counting(coverage, 100);
    behaviour.can_hang = true;
    behaviour.before_scan = [hang = machine.hang, &in_it](unsigned scan) {
        if (scan != 3) return;
        ++in_it;
        hang.wait();
    };
    // What comes late is wrong as well, which must not be noticed.
    behaviour.tamper = [hang = machine.hang](const Sha256dJob&, NonceRange range, ScanResult& result) {
        if (hang.wait_for(0s) != std::future_status::ready) return;
        for (std::uint32_t i = 0; i < 10; ++i) result.candidates.push({0, range.first + i});
    };
    return behaviour;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a device that hangs in a scan is quarantined, and others do its work") {
    for (const PartitionMode mode : kModes) {
        const auto request = request_of(mode, Goal::kAll, 0, 9'999);
        Coverage coverage(request.start, request.end, versions_of(request));
        Coverage of_hanging(request.start, request.end, versions_of(request));
        std::atomic<int> in_hang = 0;
        Machine machine;
        Behaviour good = counting(coverage);
        good.before_scan = [&](unsigned) { wait_until([&] { return in_hang == 1; }); };
        Fleet fleet(devices_of({hanging(machine, of_hanging, in_hang), good}), quick_to_give_up());
        Search search(request, fleet);
        const auto report = search.run();
        CHECK(report.ending == Ending::kFinished);
        CHECK(keys_of(report) == oracle(request));
        CHECK(report.hashes == 10'000);
        REQUIRE(report.devices.size() == 2);
        CHECK(report.devices[0].failure == kSilent);
        CHECK(report.devices[0].hashes == 200);
        CHECK(report.devices[0].wrong_candidates == 0);
        CHECK(report.devices[1].hashes == 9'800);
        CHECK(texts_of(search.take_notices()) == Names{std::string("fake:0 is quarantined: ") + kSilent});
        // It stays out.
        CHECK(names_of(Search(request, fleet).run()) == Names{"fake:1"});
    }
    CHECK(any_abandoned_threads());
}

TEST_CASE("a device that hangs before its first scan is quarantined, too") {
    for (const bool in_self_test : {true, false}) {
        Machine machine;
        Behaviour silent;
        silent.can_hang = true;
        (in_self_test ? silent.before_self_test_scan : silent.attach) = [hang = machine.hang] { hang.wait(); };
        Fleet fleet(devices_of({Behaviour{}, silent}), quick_to_give_up());
        const auto request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 1'999);
        const auto report = Search(request, fleet).run();
        CHECK(report.ending == Ending::kFinished);
        CHECK(keys_of(report) == oracle(request));
        CHECK(report.devices[1].failure == kSilent);
    }
}

TEST_CASE("with only devices that hang left the search fails") {
    const auto request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 9'999);
    Coverage coverage(request.start, request.end, versions_of(request));
    std::atomic<int> in_hang = 0;
    Machine machine;
    Fleet fleet(devices_of({hanging(machine, coverage, in_hang), hanging(machine, coverage, in_hang)}),
                quick_to_give_up());
    const auto report = Search(request, fleet).run();
    CHECK(report.ending == Ending::kFailed);
    CHECK(report.hashes == 400);
    CHECK_THROWS_AS(Search(request, fleet).run(), NoDeviceError);
}

TEST_CASE("a search that is over does not wait for a device that hangs") {
    auto times = quick_to_give_up();
    times.answer = 60s;
    const auto request = request_of(PartitionMode::kDynamic, Goal::kFirst, 0, 0xffffffff);
    Coverage coverage(0, 99'999, versions_of(request));
    Machine machine;
    std::promise<void> hangs;
    Behaviour silent = counting(coverage, 100);
    silent.can_hang = true;
    silent.before_scan = [hang = machine.hang, &hangs](unsigned scan) {
        if (scan != 1) return;
        hangs.set_value();
        hang.wait();
    };
    Behaviour good = counting(coverage, 100);
    good.before_scan = [hanging = hangs.get_future().share()](unsigned) { hanging.wait(); };
    Fleet fleet(devices_of({silent, good}), times);
    const auto before = std::chrono::steady_clock::now();
    const auto report = Search(request, fleet).run();
    CHECK(std::chrono::steady_clock::now() - before < 30s);
    CHECK(report.ending == Ending::kFinished);
    CHECK(report.hits.size() == 1);
    CHECK(report.devices[0].failure.empty());
    CHECK(report.devices[0].hashes == 0);
    CHECK(fleet.ready().size() == 2);
    // Neither does a stop.
    Search endless(request_of(PartitionMode::kDynamic, Goal::kLowest, 0x7f000000, 0xffffffff), fleet);
    auto result = std::async(std::launch::async, [&] { return endless.run(); });
    endless.stop(Ending::kInterrupted);
    CHECK(names_of(result.get()) == Names{"fake:1"});
}

TEST_CASE("a device that was left in its scan joins the next search when it returns") {
    for (const bool fails : {false, true}) {
        auto times = quick_to_give_up();
        times.answer = 60s;
        std::promise<void> hangs;
        std::promise<void> release;
        std::atomic<bool> late_results = false;
        Behaviour silent = batches_of(100);
        silent.can_hang = true;
        silent.before_scan = [&, released = release.get_future().share()](unsigned scan) {
            if (scan != 1) return;
            hangs.set_value();
            released.wait();
            if (fails) throw DeviceError("it was unplugged");
            late_results = true;
        };
        Machine machine;
        Fleet fleet(devices_of({silent}), times);
        Search first(request_of(PartitionMode::kDynamic, Goal::kAll, 0, 999), fleet);
        auto result = std::async(std::launch::async, [&] { return first.run(); });
        hangs.get_future().wait();
        first.stop(Ending::kInterrupted);
        const auto report = result.get();
        CHECK(report.ending == Ending::kInterrupted);
        CHECK(report.hashes == 0);

        const auto request = request_of(PartitionMode::kDynamic, Goal::kAll, 5'000, 5'999);
        Search second(request, fleet);
        result = std::async(std::launch::async, [&] { return second.run(); });
        wait_until([&] { return second.progress().waiting; });
        release.set_value();
        if (fails) {
            CHECK_THROWS_AS(result.get(), NoDeviceError);
            CHECK(texts_of(second.take_notices()) == Names{"fake:0 is quarantined: it was unplugged"});
            continue;
        }
        CHECK(keys_of(result.get()) == oracle(request));
        CHECK(late_results);
        CHECK(first.progress().hashes_done == 0);
    }
}

TEST_CASE("time in which the fleet did not look does not count as a device's silence") {
    // As when the process is stopped, or the machine sleeps.
    SearchReport report;
    for (const auto patience :
         {500ms, 2'000ms, 8'000ms}) {  // on a busy machine any scan may take longer than the first
        Behaviour slow;
        slow.can_hang = true;
        std::atomic<bool> returned = false;
        slow.before_scan = [&](unsigned scan) {
            if (scan == 1) std::this_thread::sleep_for(patience * 7 / 5);
            returned = true;
        };
        Machine machine;
        auto times = quick_to_give_up();
        times.answer = patience;
        Fleet fleet(devices_of({slow}), times);
        Search search(request_of(PartitionMode::kDynamic, Goal::kAll, 0, 9'999), fleet);
        report = search.run([&](const DeviceInfo&) { wait_until([&] { return +returned; }); });
        if (report.ending == Ending::kFinished) break;
    }
    CHECK(report.ending == Ending::kFinished);
    CHECK(report.devices[0].failure.empty());
}
