// Tests of the search over ranks, in one process (rank_jobs.hpp).
#include <algorithm>
#include <atomic>
#include <map>
#include <random>

#include "mpi/shares.hpp"
#include "tests/mpi/rank_jobs.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::mpi;

TEST_CASE("ranks search every pair once, and find what one machine finds") {
    for (const std::size_t ranks : {1u, 2u, 4u, 7u}) {
        const SearchRequest request = request_of_16_versions(Goal::kAll);
        Coverage coverage(request.start, request.end, versions_of(request));
        const Outcome outcome = run(request, {}, alike(ranks, 2, counting(coverage, 700)));
        CHECK(outcome.result.finished);
        CHECK(keys(outcome.result) == oracle(request));
        CHECK(coverage.exactly_once());
        CHECK(outcome.record.done.size() == 2 * 3000);
    }
}

TEST_CASE("ranks find the lowest hit, whatever their number, and the first ones of a list") {
    const auto wanted = oracle(request_of_16_versions(Goal::kAll));
    for (const std::size_t ranks : {1u, 3u, 5u}) {
        const Outcome lowest = run(request_of_16_versions(Goal::kLowest), {}, alike(ranks, 1, batches_of(300)));
        CHECK(keys(lowest.result) == std::vector<Key>{wanted.front()});
        SearchRequest few = request_of_16_versions(Goal::kAll);
        few.max_results = 5;
        const Outcome cut = run(few, {}, alike(ranks, 2, batches_of(300)));
        CHECK(keys(cut.result) == std::vector<Key>(wanted.begin(), wanted.begin() + 5));
        CHECK(cut.result.truncated);
        const Outcome first = run(request_of_16_versions(Goal::kFirst), {}, alike(ranks, 2, batches_of(300)));
        REQUIRE(first.result.hits.size() == 1);
        CHECK(std::ranges::count(wanted, keys(first.result).front()) == 1);
    }
}

TEST_CASE("a search over ranks that is killed goes on with another number of them") {
    std::mt19937 random(32);
    for (int round = 0; round < 12; ++round) {
        const SearchRequest request = request_of_16_versions(Goal::kAll);
        SearchRecord record;
        Coverage coverage(request.start, request.end, versions_of(request));
        for (int run_number = 0; run_number < 4; ++run_number) {
            Behaviour slow = batches_of(200);
            slow.delay = 1ms;
            const Outcome part =
                run(request, record, alike(1 + random() % 5, 1, slow), 1 + random() % 12, random() % 2 == 0);
            record = part.record;
        }
        const std::uint64_t left = 2 * 3000 - record.done.size();
        const Outcome last = run(request, record, alike(1 + random() % 4, 2, counting(coverage, 500)));
        CHECK(last.result.finished);
        CHECK(keys(last.result) == oracle(request));
        CHECK(coverage.all_within(0, 1));
        CHECK(last.record.done.size() - record.done.size() == left);
    }
}

TEST_CASE("a rank whose devices all fail gives its work back, and looks on") {
    const SearchRequest request = request_of_16_versions(Goal::kAll);
    for (const unsigned scan : {1u, 2u, 5u}) {
        Coverage coverage(request.start, request.end, versions_of(request));
        Behaviour dying = counting(coverage, 100);
        dying.before_scan = [scan](unsigned number) {
            if (number == scan) throw DeviceError("the card fell off the bus");
        };
        const Outcome outcome = run(request, {}, {{dying, dying}, {counting(coverage, 100)}, {dying}});
        CHECK(outcome.result.finished);
        CHECK(keys(outcome.result) == oracle(request));
        CHECK(coverage.exactly_once());
    }
}

TEST_CASE("a rank without a device looks on from the beginning") {
    const SearchRequest request = request_of_16_versions(Goal::kAll);
    const Outcome outcome = run(request, {}, {{}, {batches_of(500)}, {}});
    CHECK(keys(outcome.result) == oracle(request));
    const auto texts = texts_of(outcome.notices);
    CHECK(std::ranges::count(texts, "rank 2 has no device left, and idles") == 1);
}

TEST_CASE("where no rank has a device left the search fails, with what was done on record") {
    const SearchRequest request = request_of_16_versions(Goal::kAll);
    Behaviour dying = batches_of(100);
    dying.before_scan = [](unsigned number) {
        if (number == 4) throw DeviceError("the card fell off the bus");
    };
    const Outcome outcome = run(request, {}, alike(3, 1, dying));
    CHECK(outcome.failed);
    CHECK_FALSE(outcome.result.finished);
    CHECK(outcome.record.done.size() > 0);
    CHECK(keys(run(request, outcome.record, alike(2, 1, batches_of(700))).result) == oracle(request));
}

TEST_CASE("what a liar on one rank has done is searched again, and does not count meanwhile") {
    const SearchRequest request = request_of_16_versions(Goal::kAll);
    Behaviour lying = batches_of(100);
    lying.tamper = [scans = 0](const Sha256dJob& job, NonceRange range, ScanResult& result) mutable {
        result.clear();
        if (++scans < 4) return;  // it misses what there is, until it is caught
        for (std::uint32_t i = 0; i < range.count && result.candidates.items().size() < 5; ++i) {
            if (!passes_top_word(last_word(job, 0, range.first + i), job.target_top()))
                result.candidates.push({0, range.first + i});
        }
    };
    for (const std::size_t others : {1u, 3u}) {
        Behaviours devices = alike(others, 1, batches_of(50));
        devices.push_back({lying, batches_of(50)});
        const Outcome outcome = run(request, {}, devices);
        CHECK(outcome.result.finished);
        CHECK(keys(outcome.result) == oracle(request));
    }
}

TEST_CASE("a hit that is none is refused, whoever sends it") {
    const SearchRequest request = request_of_16_versions(Goal::kAll);
    SearchLedger ledger(request, RequestSource(request, SearchRecord{}).record());
    CHECK_THROWS_AS(ledger.add_hit({request.header.version(), 1000}), InputError);
}

TEST_CASE("after a first hit nobody begins more than what it has in hand, and three messages end it") {
    SearchRequest request = request_of_16_versions(Goal::kFirst);
    request.target = target_with_top(0x000fffff);  // the first one comes after a while
    for (const std::size_t ranks : {1u, 2u, 5u, 16u}) {
        std::atomic<unsigned> scans = 0;
        Behaviour counted = batches_of(5);
        counted.scans = &scans;
        Job job(request, {}, alike(ranks, 2, counted));
        while (job.ledger().record().hits.empty()) {
            job.wait_for_devices();
            job.look();  // who has found it says so at once; all are told in the same look
        }
        const unsigned scans_then = scans, heard_then = job.heard();
        job.look();
        CHECK(job.ended());
        CHECK(job.heard() == heard_then + ranks);  // each tells its last
        CHECK(scans - scans_then <= 2 * ranks);    // each device at most one
        const unsigned at_the_end = scans;
        give_it_a_chance();
        CHECK(scans == at_the_end);
    }
}

TEST_CASE("hits that rank 0 has no time to hash again at a stop are not claimed, nor is the work they come from") {
    const SearchRequest request = request_of_16_versions(Goal::kAll);
    const SearchRecord start = RequestSource(request, SearchRecord{}).record();
    SearchLedger ledger(request, start);
    Coordinator coordinator(ledger, 2);
    const auto wanted = oracle(request);
    RankNews before, first, second, last, found_out;
    first.work.done.add({0, 100});
    first.work.undone.add({100, 200});  // by a device that has been found out
    second.hits = {{wanted[0].first, wanted[0].second}, {wanted[1].first, wanted[1].second}};
    second.work.done.add({200, 300});
    before.work.done.add({100, 200});
    coordinator.take(0, before);
    coordinator.book();
    coordinator.take(0, first);
    coordinator.take(1, second);
    coordinator.book(Coordinator::Clock::now());  // no time for a hit
    CHECK(ledger.done() == 100);                  // what comes before the hits
    last.last = true;
    coordinator.take(0, last);
    coordinator.take(1, last);
    CHECK_FALSE(coordinator.ended());
    found_out.work.undone.add({0, 50});
    coordinator.take(1, found_out);
    coordinator.forget();
    CHECK(coordinator.ended());
    const SearchRecord record = ledger.record();
    CHECK(record.hits.empty());
    CHECK(record.done.intervals() == std::map<std::uint64_t, std::uint64_t>{{50, 100}});
}
