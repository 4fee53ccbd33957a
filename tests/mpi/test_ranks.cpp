// Tests of the search over ranks without MPI: their workers and rank 0's coordinator in one process, messages by hand.
#include <atomic>
#include <map>
#include <random>

#include "mpi/coordinator.hpp"
#include "mpi/group_size.hpp"
#include "mpi/rank_worker.hpp"
#include "mpi/remaining_work.hpp"
#include "mpi/search_ledger.hpp"
#include "tests/unit/search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::mpi;

namespace {

using RankDevices = std::vector<std::vector<Behaviour>>;  // of each rank

struct Rank {
    Rank(const RankStart& start, const std::vector<Behaviour>& behaviours, unsigned ranks, const RankWorker::Take& take)
        : search(start.request, start.record.group_size,
                 [&behaviours] { return std::make_unique<Fleet>(devices_of(behaviours)); }),
          worker(search, start, ranks, take) {}

    RankSearch search;
    RankWorker worker;
};

struct Outcome {
    WorkResult result;
    SearchRecord record;
    bool failed = false;
    std::vector<Notice> notices;
};

/// A whole search; messages go through their bytes. `stop_after`: messages of ranks, 0: never; `killed`: then nothing
/// more is heard of them.
Outcome run(const SearchRequest& request, const SearchRecord& earlier, const RankDevices& devices,
            unsigned stop_after = 0, bool killed = false) {
    const SearchRecord record = RequestSource(request, earlier).record();
    SearchLedger ledger(request, record);
    RankStart start{request, record, ledger.bound()};
    start.record.hits.clear();
    start = start_of(to_bytes(start));
    std::uint64_t cursor = 0;
    const auto take = [&cursor](std::uint64_t count) { return std::exchange(cursor, cursor + count); };
    Coordinator coordinator(ledger, static_cast<unsigned>(devices.size()));
    std::vector<std::unique_ptr<Rank>> ranks;
    for (const auto& behaviours : devices)
        ranks.push_back(std::make_unique<Rank>(start, behaviours, static_cast<unsigned>(devices.size()), take));
    unsigned heard = 0;
    bool stopped = false;
    while (!coordinator.ended()) {
        for (unsigned i = 0; i < ranks.size(); ++i) {
            if (auto news = ranks[i]->worker.step(RankWorker::Clock::now(), false)) {
                coordinator.take(i, news_of(to_bytes(*news)));
                if (stop_after > 0 && ++heard == stop_after) stopped = true;
            }
        }
        if (stopped && killed) break;
        for (auto& [rank, orders] : coordinator.due({.paused = false, .stopped = stopped}))
            ranks[rank]->worker.obey(orders_of(to_bytes(orders)));
        std::this_thread::sleep_for(100us);
    }
    const SearchRecord at_the_end = ledger.record();
    return {ledger.result(), at_the_end, coordinator.failed(), coordinator.take_notices()};
}

SearchRequest request_of_16_versions(Goal goal) {
    SearchRequest request = request_of(PartitionMode::kDynamic, goal, 1000, 3999);
    request.version_mask = kWideMask;
    return request;
}

std::vector<Key> keys(const WorkResult& result) {
    SearchReport report;
    report.hits = result.hits;
    return keys_of(report);
}

RankDevices alike(std::size_t ranks, std::size_t devices, const Behaviour& behaviour) {
    return RankDevices(ranks, std::vector<Behaviour>(devices, behaviour));
}

}  // namespace

TEST_CASE("what is left is numbered without gaps") {
    std::mt19937 random(31);
    for (int round = 0; round < 200; ++round) {
        constexpr std::uint64_t kPositions = 80;
        IntervalSet done;
        for (int i = 0; i < 5; ++i) {
            const std::uint64_t first = random() % kPositions;
            done.add({first, std::min<std::uint64_t>(kPositions, first + random() % 20)});
        }
        std::vector<std::uint64_t> left;
        for (std::uint64_t i = 0; i < kPositions; ++i) {
            if (!done.end_at(i)) left.push_back(i);
        }
        const RemainingWork work(kPositions, done);
        REQUIRE(work.size() == left.size());
        std::vector<std::uint64_t> handed_out;
        for (std::uint64_t cursor = 0; cursor < left.size() + 30;) {
            const std::uint64_t count = 1 + random() % 13;
            for (const Interval& interval : work.intervals(cursor, count)) {
                for (std::uint64_t i = interval.first; i < interval.end; ++i) handed_out.push_back(i);
            }
            cursor += count;
        }
        CHECK(handed_out == left);
    }
}

TEST_CASE("groups follow the rate, and shrink near the end") {
    GroupSize size(100);
    auto now = GroupSize::Clock::now();
    CHECK(size.is_low(0));
    CHECK(size.next(1'000'000'000, 4) == 100);
    CHECK_FALSE(size.is_low(100));
    CHECK(size.next(1'000'000'000, 4) == 200);
    CHECK(size.next(1'000'000'000, 4) == 400);
    std::uint64_t completed = 0;
    for (int i = 0; i < 20; ++i) {
        size.observe(now, completed);
        now += 250ms;
        completed += 250'000;
    }
    CHECK(size.rate() > 0.99e6);
    CHECK(size.rate() < 1.01e6);
    const std::uint64_t group = size.next(1'000'000'000, 4);
    CHECK(group > 250'000);
    CHECK(group < 350'000);
    CHECK_FALSE(size.is_low(group));
    CHECK(size.is_low(group / 10));
    CHECK(size.next(1'000'000, 4) == 125'000);
    CHECK(size.next(10, 4) < 60'000);
    CHECK(size.next(0, 1000) >= 1);
}

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
    CHECK(std::ranges::count(texts, "rank 2 has no device left, and looks on") == 1);
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
        RankDevices devices = alike(others, 1, batches_of(50));
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
