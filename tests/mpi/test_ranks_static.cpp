// Tests of --partition static over ranks, in one process (rank_jobs.hpp).
#include <algorithm>
#include <atomic>
#include <random>
#include <set>

#include "tests/mpi/rank_jobs.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::mpi;

TEST_CASE("static: ranks search every pair once, and find what one machine finds") {
    const auto wanted = oracle(request_of_16_versions(Goal::kAll));
    for (const std::size_t ranks : {1u, 2u, 4u, 7u}) {
        const SearchRequest request = request_of_16_versions(Goal::kAll);
        Coverage coverage(request.start, request.end, versions_of(request));
        std::size_t pieces = 0;
        std::set<unsigned> owners;
        const Outcome outcome = run_static(request, {}, alike(ranks, 2, counting(coverage, 30)), [&](const Job& job) {
            pieces = job.pieces().size();
            for (const auto& [rank, piece] : job.pieces()) owners.insert(rank);
        });
        CHECK(outcome.result.finished);
        CHECK(keys(outcome.result) == wanted);
        CHECK(coverage.exactly_once());
        CHECK(pieces == ranks);
        CHECK(owners.size() == ranks);
        const Outcome lowest = run_static(request_of_16_versions(Goal::kLowest), {}, alike(ranks, 1, batches_of(30)));
        CHECK(keys(lowest.result) == std::vector<Key>{wanted.front()});
        SearchRequest few = request;
        few.max_results = 40;
        const Outcome cut = run_static(few, {}, alike(ranks, 2, batches_of(30)));
        CHECK(keys(cut.result) == std::vector<Key>(wanted.begin(), wanted.begin() + 40));
        CHECK(cut.result.truncated);
        const Outcome first = run_static(request_of_16_versions(Goal::kFirst), {}, alike(ranks, 2, batches_of(30)));
        REQUIRE(first.result.hits.size() == 1);
        CHECK(std::ranges::count(wanted, keys(first.result).front()) == 1);
    }
}

TEST_CASE("static: the piece of a rank whose devices fail goes to those that are done, or to nobody") {
    const SearchRequest request = request_of_16_versions(Goal::kAll);
    std::atomic<bool> is_cut = false;
    Coverage coverage(request.start, request.end, versions_of(request));
    Behaviour dying = counting(coverage, 30);
    dying.before_scan = [&is_cut](unsigned) {
        if (is_cut) throw DeviceError("the card fell off the bus");
    };
    const auto looked = [&](const Job& job) { is_cut = !job.pieces().empty(); };
    const Outcome outcome = run_static(
        request, {}, {{dying}, {counting(coverage, 30)}, {dying, dying}, {}, {counting(coverage, 30)}}, looked);
    CHECK(outcome.result.finished);
    CHECK(keys(outcome.result) == oracle(request));
    CHECK(coverage.exactly_once());
    is_cut = false;
    const Outcome nobody = run_static(request, {}, alike(3, 1, dying), looked);
    CHECK(nobody.failed);
    CHECK(nobody.record.done.size() > 0);
    CHECK(keys(run_static(request, nobody.record, alike(2, 1, batches_of(30))).result) == oracle(request));
}

TEST_CASE("what is sent to a rank before it is known that no device is left comes back") {
    const SearchRequest request = request_of_16_versions(Goal::kAll);
    const RankStart start{request, RequestSource(request, SearchRecord{}).record(), std::nullopt};
    RankDevices none([]() -> std::unique_ptr<Fleet> { throw NoDeviceError("there is none"); });
    RankSearch search(request, start.record.group_size, none);
    RankWorker worker(search, start, 2, [](std::uint64_t) { return 0; });
    const auto now = RankWorker::Clock::now();
    const auto first = worker.step(now, 0);
    REQUIRE(first);
    CHECK(first->looks_on);
    CHECK(first->given_back.empty());
    worker.obey({.bound = {}, .work = {{100, 200}}, .piece = Interval{3000, 3500}, .paused = {}});
    const auto second = worker.step(now, 0);
    REQUIRE(second);
    CHECK(second->given_back == std::vector<Interval>{{100, 200}, {3000, 3500}});
    CHECK_FALSE(worker.step(now, 0));
}

TEST_CASE("static: a search that is killed goes on with another number of ranks, static or not") {
    std::mt19937 random(34);
    for (int round = 0; round < 6; ++round) {
        SearchRequest request = request_of_16_versions(Goal::kAll);
        SearchRecord record;
        for (int run_number = 0; run_number < 3; ++run_number) {
            request.partition = random() % 3 == 0 ? PartitionMode::kDynamic : PartitionMode::kStatic;
            Job job(request, record, alike(1 + random() % 5, 1, batches_of(20)));
            for (unsigned looks = 1 + random() % 25; looks > 0 && !job.ended(); --looks) {
                job.look(kSlowLook);
                job.wait_for_devices();
            }
            record = job.ledger().record();
        }
        Coverage coverage(request.start, request.end, versions_of(request));
        const Outcome last = run_static(request, record, alike(1 + random() % 4, 2, counting(coverage, 50)));
        CHECK(keys(last.result) == oracle(request));
        CHECK(coverage.all_within(0, 1));
        CHECK(last.record.done.size() == 2 * 3000);
    }
}
