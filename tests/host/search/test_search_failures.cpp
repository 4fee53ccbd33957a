// Tests of searches with devices that fail, lag or lie. The result stays the same, or the search says that it failed.
#include "search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("a device that fails at its n-th scan hands its work over, and nothing is hashed twice") {
    for (const PartitionMode mode : kModes) {
        for (const unsigned failing_scan : {1u, 2u, 5u}) {
            SearchRequest request = request_of(mode, Goal::kAll, 0, 9'999);
            Coverage coverage(request.start, request.end, versions_of(request));
            Gate gate;
            Behaviour failing = counting(coverage, 100);
            failing.before_scan = [&](unsigned scan) {
                if (scan < failing_scan) return;
                gate.promise.set_value();
                throw DeviceError("the card fell off the bus");
            };
            const auto good = gate.behind(counting(coverage));
            LoneSearch run(request, devices_of({good, failing, good}));
            const auto report = run.run();
            CHECK(report.ending == Ending::kFinished);
            CHECK(keys_of(report) == oracle(request));
            CHECK(coverage.exactly_once());
            CHECK(report.devices[1].failure == "the card fell off the bus");
            CHECK(report.devices[1].hashes == 100 * (failing_scan - 1));
            CHECK(report.devices[0].failure.empty());
            CHECK(texts_of(run.take_notices()) ==
                  std::vector<std::string>{"fake:1 is quarantined: the card fell off the bus"});
            CHECK(run.take_notices().empty());
        }
    }
}

TEST_CASE("work of a device that fails last is done by those who had finished") {
    for (const PartitionMode mode : kModes) {
        SearchRequest request = request_of(mode, Goal::kAll, 0, 9'999);
        Coverage coverage(request.start, request.end, versions_of(request));
        std::atomic<bool> late_has_work = false;
        Behaviour early = counting(coverage);
        early.before_scan = [&](unsigned) {
            while (!late_has_work) std::this_thread::sleep_for(1ms);
        };
        Behaviour late = counting(coverage);
        late.before_scan = [&](unsigned) {
            late_has_work = true;
            std::this_thread::sleep_for(100ms);
            throw std::runtime_error("not even a device error");
        };
        const auto report = search(request, {early, late});
        CHECK(report.ending == Ending::kFinished);
        CHECK(coverage.exactly_once());
        CHECK(keys_of(report) == oracle(request));
        CHECK(report.devices[1].failure == "not even a device error");
    }
}

TEST_CASE("a slow device does not change what is found") {
    for (const PartitionMode mode : kModes) {
        SearchRequest request = request_of(mode, Goal::kAll, 0, 9'999);
        Coverage coverage(request.start, request.end, versions_of(request));
        std::atomic<unsigned> scans_of_others = 0;
        Behaviour fast = counting(coverage);
        fast.scans = &scans_of_others;
        Behaviour slow = counting(coverage);
        slow.before_scan = [&](unsigned) {
            while (scans_of_others < 10) std::this_thread::sleep_for(1ms);
        };
        const auto report = search(request, {slow, fast, fast});
        CHECK(report.ending == Ending::kFinished);
        CHECK(keys_of(report) == oracle(request));
        CHECK(coverage.exactly_once());
        CHECK(report.devices[1].hashes + report.devices[2].hashes >= 5'000);
    }
}

TEST_CASE("with every device failed the search fails, and keeps what was found") {
    for (const PartitionMode mode : kModes) {
        SearchRequest request = request_of(mode, Goal::kAll, 0, 99'999);
        Behaviour failing;
        failing.batch = 1000;
        failing.before_scan = [](unsigned scan) {
            if (scan == 4) throw 42;
        };
        const auto report = search(request, {failing, failing});
        CHECK(report.ending == Ending::kFailed);
        CHECK(report.hashes == 6000);
        CHECK(report.hits.size() > 5);
        CHECK(report.devices[0].failure == "it failed without giving a reason");
    }
}

TEST_CASE("a first hit counts although another device fails after it") {
    SearchRequest request = request_of(PartitionMode::kStatic, Goal::kFirst, 0, 0xffffffff);
    Behaviour failing;
    failing.before_scan = [](unsigned) {
        std::this_thread::sleep_for(50ms);
        throw DeviceError("gone");
    };
    const auto report = search(request, {Behaviour{}, failing});
    CHECK(report.ending == Ending::kFinished);
    CHECK(report.hits.size() == 1);
}

TEST_CASE("a device that fails its self-test never joins") {
    SearchRequest request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 2'999);
    Coverage coverage(request.start, request.end, versions_of(request));
    std::atomic<unsigned> scans = 0;
    Behaviour blind;
    blind.scans = &scans;
    blind.tamper_self_test = [](const Sha256dJob&, NonceRange, ScanResult& result) { result.clear(); };
    Behaviour throwing;
    throwing.scans = &scans;
    throwing.attach = [] { throw DeviceError("it has no memory left"); };
    const auto report = search(request, {blind, counting(coverage), throwing});
    CHECK(report.ending == Ending::kFinished);
    CHECK(coverage.exactly_once());
    CHECK(keys_of(report) == oracle(request));
    CHECK(scans == 0);
    CHECK(report.devices[0].failure == "self-test failed (block 100000): it missed nonce 274148111");
    CHECK(report.devices[2].failure == "it has no memory left");

    CHECK(search(request, {blind, throwing}).ending == Ending::kFailed);
    CHECK(scans == 0);
}

TEST_CASE("a wrong candidate is counted, and its range searched again by another device") {
    for (const PartitionMode mode : kModes) {
        SearchRequest request = request_of(mode, Goal::kAll, 0, 9'999);
        Coverage coverage(request.start, request.end, versions_of(request));
        Gate gate;
        bool lied = false;
        Behaviour liar = counting(coverage, 1000);
        liar.tamper = [&](const Sha256dJob& job, NonceRange range, ScanResult& result) {
            if (std::exchange(lied, true)) return;
            result.clear();  // what it should have found is missing, too
            std::uint32_t nonce = range.first;
            while (passes_top_word(test::last_word(job, 0, nonce), job.target_top())) ++nonce;
            result.candidates.push({0, nonce});
            gate.promise.set_value();
        };
        LoneSearch run(request, devices_of({liar, gate.behind(counting(coverage, 1000))}));
        const auto report = run.run();
        CHECK(report.ending == Ending::kFinished);
        CHECK(keys_of(report) == oracle(request));
        CHECK(report.rejected_candidates == 1);
        CHECK(report.devices[0].wrong_candidates == 1);
        CHECK(report.devices[0].failure.empty());
        CHECK(coverage.all_within(1, 2));
        CHECK(report.hashes == 11'000);
        CHECK(run.take_notices().size() == 1);
    }
}

TEST_CASE("candidates outside of what was asked for are wrong, even where their hash is right") {
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, 5'000, 7'999);
    const auto outside = oracle(request_of(request.partition, request.goal, 0, 4'999)).front().second;
    const auto above = oracle(request_of(request.partition, request.goal, 8'000, 20'000)).front().second;
    const auto inside = oracle(request).front().second;
    for (const Candidate& wrong : {Candidate{0, outside}, Candidate{0, above}, Candidate{1, inside}}) {
        Behaviour liar;
        liar.tamper = [&, lied = false](const Sha256dJob&, NonceRange, ScanResult& result) mutable {
            if (!std::exchange(lied, true)) result.candidates.push(wrong);
        };
        const auto report = search(request, {liar});
        CHECK(report.rejected_candidates == 1);
        CHECK(keys_of(report) == oracle(request));
        CHECK(report.ending == Ending::kFinished);  // there was no other: it searched the range again itself
    }
}

TEST_CASE("after three wrong candidates a device is quarantined and all its work is done again") {
    for (const PartitionMode mode : kModes) {
        for (const std::uint32_t mask : {0u, kWideMask}) {
            SearchRequest request = request_of(mode, Goal::kAll, 0, 3'999);
            request.version_mask = mask;
            Coverage coverage(request.start, request.end, versions_of(request));
            Gate gate;
            Behaviour liar = counting(coverage, 200);
            // It finds nothing in its first scans, unnoticed; then it gives itself away.
            liar.tamper = [&, scans = 0](const Sha256dJob&, NonceRange range, ScanResult& result) mutable {
                result.clear();
                if (++scans != 3) return;
                for (int i = 0; i < 5; ++i) result.candidates.push({77, range.first});
                gate.promise.set_value();
            };
            const auto good = gate.behind(counting(coverage, 200));
            const auto report = search(request, {good, liar, good});
            CHECK(report.ending == Ending::kFinished);
            CHECK(keys_of(report) == oracle(request));
            CHECK(report.rejected_candidates == 3);
            CHECK(report.devices[1].failure.find("the third one; everything that it searched is searched again") !=
                  std::string::npos);
            CHECK(coverage.all_within(1, 2));
            CHECK(report.hashes == 4'000 * versions_of(request).size() + 3 * 200);
        }
    }
}

TEST_CASE("liars alone come to an end") {
    for (const std::size_t workers : {1, 2, 5}) {
        SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 9'999);
        Behaviour liar;
        liar.tamper = [](const Sha256dJob&, NonceRange range, ScanResult& result) {
            result.clear();
            result.candidates.push({9, range.first});
        };
        const auto report = search(request, std::vector<Behaviour>(workers, liar));
        CHECK(report.ending == Ending::kFailed);
        CHECK(report.rejected_candidates == 3 * workers);
        CHECK(report.hits.empty());
    }
    Behaviour overflowing;
    overflowing.tamper = [](const Sha256dJob&, NonceRange, ScanResult& result) {
        while (!result.candidates.overflow()) result.candidates.push({});
    };
    const auto report = search(request_of(PartitionMode::kDynamic, Goal::kAll, 0, 9'999), {overflowing});
    CHECK(report.ending == Ending::kFailed);
    CHECK(report.hashes == 0);
    CHECK(report.devices[0].failure == "it reported more candidates than it was given nonces");
}
