// Tests of searches with devices that fail, lag or lie. The result stays the same, or the search says that it failed.
#include "search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("a device that fails hands its work over, and nothing is hashed twice") {
    for (const PartitionMode mode : kModes) {
        SearchRequest request = request_of(mode, Goal::kAll, 0, 9'999);
        Coverage coverage(request.start, request.end, versions_of(request));
        const Event failed;
        Behaviour failing = counting(coverage, 100);
        failing.before_scan = [failed](unsigned scan) {
            if (scan < 3) return;
            failed.happen();
            throw DeviceError("the card fell off the bus");
        };
        const auto good = waiting_for(failed, counting(coverage));
        LoneSearch run(request, devices_of({good, failing, good}));
        const auto report = run.run();
        CHECK(report.ending == Ending::kFinished);
        CHECK(keys_of(report) == oracle(request));
        CHECK(coverage.exactly_once());
        CHECK(report.devices[1].failure == "the card fell off the bus");
        CHECK(report.devices[1].hashes == 200);
        CHECK(report.devices[0].failure.empty());
        CHECK(texts_of(run.take_notices()) ==
              std::vector<std::string>{"fake:1 is quarantined: the card fell off the bus"});
        CHECK(run.take_notices().empty());
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
        const Event lie;
        bool lied = false;
        Behaviour liar = counting(coverage, 1000);
        liar.tamper = [&](const Sha256dJob& job, NonceRange range, ScanResult& result) {
            if (std::exchange(lied, true)) return;
            result.clear();  // what it should have found is missing, too
            std::uint32_t nonce = range.first;
            while (passes_top_word(test::last_word(job, 0, nonce), job.target_top())) ++nonce;
            result.candidates.push({0, nonce});
            lie.happen();
        };
        LoneSearch run(request, devices_of({liar, waiting_for(lie, counting(coverage, 1000))}));
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
            const Event lies;
            Behaviour liar = counting(coverage, 200);
            // It finds nothing in its first scans, unnoticed; then it gives itself away.
            liar.tamper = [&, scans = 0](const Sha256dJob&, NonceRange range, ScanResult& result) mutable {
                result.clear();
                if (++scans != 3) return;
                for (int i = 0; i < 5; ++i) result.candidates.push({77, range.first});
                lies.happen();
            };
            const auto good = waiting_for(lies, counting(coverage, 200));
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
    constexpr std::size_t kWorkers = 2;
    Behaviour liar;
    liar.tamper = [](const Sha256dJob&, NonceRange range, ScanResult& result) {
        result.clear();
        result.candidates.push({9, range.first});
    };
    const auto request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 9'999);
    const auto lied = search(request, std::vector<Behaviour>(kWorkers, liar));
    CHECK(lied.ending == Ending::kFailed);
    CHECK(lied.rejected_candidates == 3 * kWorkers);
    CHECK(lied.hits.empty());

    Behaviour overflowing;
    overflowing.tamper = [](const Sha256dJob&, NonceRange, ScanResult& result) {
        while (!result.candidates.overflow()) result.candidates.push({});
    };
    const auto report = search(request, {overflowing});
    CHECK(report.ending == Ending::kFailed);
    CHECK(report.hashes == 0);
    CHECK(report.devices[0].failure == "it reported more candidates than it was given nonces");
}
