// Tests of devices that do not return, on simulated threads. The search goes on without them, and later results of
// theirs change nothing.
#include "fake_apis.hpp"
#include "host/abandonable_thread.hpp"
#include "tests/messages.hpp"
#include "tests/simulation/simulated_test.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

using Names = std::vector<std::string>;

FleetTimes times_with(std::chrono::milliseconds answer) {
    return {.answer = answer, .end = 50ms, .close = 20ms, .tick = 10ms};
}

/// Waits in one of its scans, until `hang` happens; then its results are wrong as well, which must not be noticed.
Behaviour hanging(unsigned scan_to_hang_in, const Event& hangs, const Event& hang) {
    Behaviour behaviour = batches_of(100);
    behaviour.can_hang = true;
    behaviour.before_scan = [=](unsigned scan) {
        if (scan != scan_to_hang_in) return;
        hangs.happen();
        hang.wait();
    };
    behaviour.tamper = [hang](const Sha256dJob&, NonceRange range, ScanResult& result) {
        if (!hang.has_happened()) return;
        for (std::uint32_t i = 0; i < 10; ++i) result.candidates.push({0, range.first + i});
    };
    return behaviour;
}

}  // namespace

TEST_CASE("a device that hangs in a scan is quarantined, and others do its work") {
    on_simulated_threads([] {
        const auto request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 9'999);
        const Event hangs;
        Machine machine;
        Fleet fleet(devices_of({hanging(3, hangs, machine.hang), waiting_for(hangs, batches_of(500))}),
                    times_with(500ms));
        Search search(request, fleet);
        const auto report = search.run();
        CHECK(report.ending == Ending::kFinished);
        CHECK(keys_of(report) == oracle(request));
        CHECK(report.hashes == 10'000);
        REQUIRE(report.devices.size() == 2);
        CHECK(report.devices[0].failure == "it did not respond for 0.5 s");
        CHECK(report.devices[0].hashes == 200);
        CHECK(report.devices[0].wrong_candidates == 0);
        CHECK(report.devices[1].hashes == 9'800);
        CHECK(texts_of(search.take_notices()) == Names{"fake:0 is quarantined: it did not respond for 0.5 s"});
        // It stays out.
        CHECK(names_of(Search(request, fleet).run()) == Names{"fake:1"});
    });
    CHECK(any_abandoned_threads());
}

TEST_CASE("a search that is over does not wait for a device that hangs") {
    on_simulated_threads([] {
        const Event hangs;
        Machine machine;
        Fleet fleet(devices_of({hanging(1, hangs, machine.hang), waiting_for(hangs, batches_of(100))}),
                    times_with(60s));
        const auto before = threads::Clock::now();
        const auto report = Search(request_of(PartitionMode::kDynamic, Goal::kFirst, 0, 0xffffffff), fleet).run();
        CHECK(threads::Clock::now() - before < 1s);
        CHECK(report.ending == Ending::kFinished);
        CHECK(report.hits.size() == 1);
        CHECK(report.devices[0].failure.empty());
        CHECK(report.devices[0].hashes == 0);
        CHECK(fleet.ready().size() == 2);
        // Neither does a stop.
        Search endless(request_of(PartitionMode::kDynamic, Goal::kLowest, 0x7f000000, 0xffffffff), fleet);
        Background result([&] { return endless.run(); });
        endless.stop(Ending::kInterrupted);
        CHECK(names_of(result.get()) == Names{"fake:1"});
    });
}

TEST_CASE("a device that was left in its scan joins the next search when it returns, unless it fails then") {
    for (const bool fails : {false, true}) {
        on_simulated_threads([fails] {
            const Event hangs, returns;
            Behaviour silent = batches_of(100);
            silent.can_hang = true;
            silent.before_scan = [=](unsigned scan) {
                if (scan != 1) return;
                hangs.happen();
                returns.wait();
                if (fails) throw DeviceError("it was unplugged");
            };
            Fleet fleet(devices_of({silent}), times_with(60s));
            Search first(request_of(PartitionMode::kDynamic, Goal::kAll, 0, 999), fleet);
            Background interrupted([&] { return first.run(); });
            hangs.wait();
            first.stop(Ending::kInterrupted);
            CHECK(interrupted.get().hashes == 0);

            const auto request = request_of(PartitionMode::kDynamic, Goal::kAll, 5'000, 5'999);
            Search second(request, fleet);
            Background result([&] { return second.run(); });
            wait_until([&] { return second.progress().waiting; });
            returns.happen();
            if (fails) {
                CHECK_THROWS_AS(result.get(), NoDeviceError);
                CHECK(texts_of(second.take_notices()) == Names{"fake:0 is quarantined: it was unplugged"});
            } else {
                CHECK(keys_of(result.get()) == oracle(request));
            }
            CHECK(first.progress().hashes_done == 0);
        });
    }
}

TEST_CASE("time in which the fleet did not look does not count as a device's silence") {
    // As when the process is stopped, or the machine sleeps.
    on_simulated_threads([] {
        const Event returned;
        Behaviour slow;
        slow.can_hang = true;
        slow.before_scan = [=](unsigned scan) {
            if (scan == 1) pass_time(700ms);
            returned.happen();
        };
        Fleet fleet(devices_of({slow}), times_with(500ms));
        Search search(request_of(PartitionMode::kDynamic, Goal::kAll, 0, 9'999), fleet);
        const auto report = search.run([&](const DeviceInfo&) { returned.wait(); });
        CHECK(report.ending == Ending::kFinished);
        CHECK(report.devices[0].failure.empty());
    });
}
