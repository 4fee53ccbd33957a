// Tests of the search over ranks without MPI: their workers and rank 0's coordinator in one process, messages by hand.
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "mpi/coordinator.hpp"
#include "mpi/group_size.hpp"
#include "mpi/rank_worker.hpp"
#include "mpi/remaining_work.hpp"
#include "mpi/search_ledger.hpp"
#include "mpi/static_cut.hpp"
#include "tests/unit/search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;
using namespace gpuminer::mpi;

namespace {

using Behaviours = std::vector<std::vector<Behaviour>>;  // of each rank

/// So few that every rank gets some of a short search.
constexpr std::uint64_t kFirstHashes = 32;

struct Rank {
    Rank(const RankStart& start, const std::vector<Behaviour>& behaviours, unsigned ranks, const RankWorker::Take& take)
        : devices([&behaviours] { return std::make_unique<Fleet>(devices_of(behaviours)); }),
          search(start.request, start.record.group_size, devices),
          worker(search, start, ranks, take, kFirstHashes) {}

    RankDevices devices;
    RankSearch search;
    RankWorker worker;
};

struct Outcome {
    WorkResult result;
    SearchRecord record;
    bool failed = false;
    std::vector<Notice> notices;
};

/// A search over ranks, look by look; messages go through their bytes. The clock is the test's.
class Job {
public:
    Job(const SearchRequest& request, const SearchRecord& earlier, const Behaviours& devices)
        : record_(RequestSource(request, earlier).record()),
          ledger_(request, record_),
          coordinator_(ledger_, static_cast<unsigned>(devices.size()),
                       request.partition == PartitionMode::kStatic ? Coordinator::Take(take_) : Coordinator::Take()) {
        RankStart start{request, record_, ledger_.bound()};
        start.record.hits.clear();
        start = start_of(to_bytes(start));
        for (const auto& behaviours : devices)
            ranks_.push_back(std::make_unique<Rank>(start, behaviours, static_cast<unsigned>(devices.size()), take_));
    }

    /// Every rank looks once, then rank 0 answers.
    void look(std::chrono::milliseconds taking = 20ms, bool stopped = false) {
        now_ += taking;
        for (unsigned i = 0; i < ranks_.size(); ++i) {
            if (auto news = ranks_[i]->worker.step(now_, 0)) {
                ++heard_;
                coordinator_.take(i, news_of(to_bytes(*news)));
            }
        }
        for (auto& [rank, orders] : coordinator_.due({.paused = false, .stopped = stopped})) {
            if (orders.piece) pieces_.emplace_back(rank, *orders.piece);
            ranks_[rank]->worker.obey(orders_of(to_bytes(orders)));
        }
    }
    /// Until devices have done all that their ranks have taken: then ranks take by their own rates, however busy the
    /// machine is.
    void wait_for_devices() {
        for (const auto& rank : ranks_)
            wait_until([&search = rank->search] {
                return search.partition().backlog() == 0 || search.partition().stopped() || search.without_devices();
            });
    }

    [[nodiscard]] bool ended() const { return coordinator_.ended(); }
    [[nodiscard]] unsigned heard() const { return heard_; }  ///< messages of ranks
    /// By rank: its own of what was left (static).
    [[nodiscard]] const std::vector<std::pair<unsigned, Interval>>& pieces() const { return pieces_; }
    [[nodiscard]] const SearchLedger& ledger() const { return ledger_; }
    [[nodiscard]] Outcome outcome() {
        const SearchRecord at_the_end = ledger_.record();
        return {ledger_.result(), at_the_end, coordinator_.failed(), coordinator_.take_notices()};
    }

private:
    std::uint64_t cursor_ = 0;
    const RankWorker::Take take_ = [this](std::uint64_t count) { return std::exchange(cursor_, cursor_ + count); };
    const SearchRecord record_;
    SearchLedger ledger_;
    Coordinator coordinator_;
    std::vector<std::unique_ptr<Rank>> ranks_;
    RankWorker::Clock::time_point now_ = RankWorker::Clock::now();
    unsigned heard_ = 0;
    std::vector<std::pair<unsigned, Interval>> pieces_;
};

/// A whole search. `stop_after`: messages of ranks, 0: never; `killed`: then nothing more is heard of them.
Outcome run(const SearchRequest& request, const SearchRecord& earlier, const Behaviours& devices,
            unsigned stop_after = 0, bool killed = false) {
    Job job(request, earlier, devices);
    while (!job.ended()) {
        const bool stopped = stop_after > 0 && job.heard() >= stop_after;
        if (stopped && killed) break;
        job.look(20ms, stopped);
        std::this_thread::sleep_for(100us);
    }
    return job.outcome();
}

/// Between two looks of run_static(): more than half of a group's time, so that groups grow slowly and there is
/// something left to be cut.
constexpr std::chrono::milliseconds kSlowLook{200};

/// The same, with --partition static; every rank waits for its devices before it looks.
Outcome run_static(SearchRequest request, const SearchRecord& earlier, const Behaviours& devices,
                   const std::function<void(const Job&)>& looked = {}) {
    request.partition = PartitionMode::kStatic;
    Job job(request, earlier, devices);
    while (!job.ended()) {
        job.look(kSlowLook);
        if (looked) looked(job);
        job.wait_for_devices();
    }
    return job.outcome();
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

Behaviours alike(std::size_t ranks, std::size_t devices, const Behaviour& behaviour) {
    return Behaviours(ranks, std::vector<Behaviour>(devices, behaviour));
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
    CHECK(size.next(now, 1'000'000'000, 4) == 100);
    CHECK_FALSE(size.is_low(100));
    CHECK(size.next(now, 1'000'000'000, 4) == 200);
    CHECK(size.next(now, 1'000'000'000, 4) == 400);
    std::uint64_t completed = 0;
    for (int i = 0; i < 20; ++i) {
        size.observe(now, completed);
        now += 250ms;
        completed += 250'000;
    }
    CHECK(size.rate() > 0.99e6);
    CHECK(size.rate() < 1.01e6);
    const std::uint64_t group = size.next(now, 1'000'000'000, 4);
    CHECK(group > 250'000);
    CHECK(group < 350'000);
    CHECK_FALSE(size.is_low(group));
    CHECK(size.is_low(group / 10));
    CHECK(size.next(now, 1'000'000, 4) == 125'000);
    CHECK(size.next(now, 10, 4) < 60'000);
    CHECK(size.next(now, 0, 1000) >= 1);
}

TEST_CASE("the last groups are small for ranks that are slower than others, too") {
    GroupSize size(100);
    auto now = GroupSize::Clock::now();
    std::uint64_t completed = 0, taken = 0;
    for (int i = 0; i < 20; ++i) {
        size.observe(now, completed);
        size.saw_taken(now, taken);
        now += 250ms;
        completed += 25'000;  // 0.1 million a second
        taken += 1'000'000;   // of 4 million
    }
    CHECK(size.next(now - 250ms, 100'000'000, 4) == 30'000);
    const std::uint64_t late = size.next(now - 250ms, 1'600'000, 4);  // 0.4 s: half of it
    CHECK(late > 18'000);
    CHECK(late < 22'000);
    CHECK(size.next(now - 50ms, 1'600'000, 4) < late);
    CHECK(size.next(now + 1h, 1'600'000, 4) == 5'000);
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

// ----- --partition static -----

TEST_CASE("what is left is cut by rate, without gaps") {
    std::mt19937 random(33);
    for (int round = 0; round < 500; ++round) {
        const std::uint64_t first = random(), count = std::uint64_t{random()} << (random() % 17);
        const Interval rest{first, first + count};
        std::vector<double> rates;
        for (unsigned i = 0; i < 1 + random() % 9; ++i) rates.push_back(random() % 4 == 0 ? 0 : 1.0 + random() % 1000);
        rates[random() % rates.size()] = 500;
        double all = 0;
        for (const double rate : rates) all += rate;
        const std::vector<Interval> pieces = cut_by_rate(rest, rates);
        REQUIRE(pieces.size() == rates.size());
        std::uint64_t next = rest.first;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            CHECK(pieces[i].first == next);
            next = pieces[i].end;
            REQUIRE(next >= pieces[i].first);
            const double wanted = static_cast<double>(count) * rates[i] / all;
            CHECK(std::abs(static_cast<double>(next - pieces[i].first) - wanted) < 2 + 1e-9 * wanted);
            if (rates[i] == 0) CHECK(next == pieces[i].first);
        }
        CHECK(next == rest.end);
    }
}

TEST_CASE("a rank is cut by an average, from when its devices have had enough work") {
    CutRate rate;
    auto now = CutRate::Clock::now();
    std::uint64_t completed = 0;
    for (int i = 0; i < 100; ++i) rate.observe(now += 10ms, 0);
    for (int i = 0; i < 20; ++i) rate.observe(now += 10ms, completed += 10);
    CHECK(rate.rate() == 0);
    for (int i = 0; i < 49; ++i) rate.observe(now += 10ms, completed += 1000);
    CHECK(rate.rate() == 0);
    for (int i = 0; i < 3; ++i) rate.observe(now += 10ms, completed += 1000);
    CHECK(rate.rate() > 97'000);
    CHECK(rate.rate() < 101'000);
}

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

// ----- how soon everybody stops -----

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
