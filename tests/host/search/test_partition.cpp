// Tests of the partition: every nonce of every group handed out once, in pieces as promised.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "host/search/interval_set.hpp"
#include "partition_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

/// All workers in turn, one unit each, until nothing is left; with unit sizes that differ. For a dynamic
/// partition, or one worker: in one thread no worker can wait for another.
Counts drain(Partition& partition, std::size_t workers) {
    Counts counts;
    for (std::size_t turn = 0; !partition.finished(); ++turn) {
        const std::size_t worker = turn % workers;
        const auto unit = partition.take(worker, 1 + 7 * worker);
        REQUIRE(unit);
        count(counts, *unit);
        partition.complete(worker, *unit);
    }
    return counts;
}

}  // namespace

TEST_CASE("one worker is handed every nonce of every group once") {
    for (const PartitionMode mode : {kStatic, kDynamic}) {
        for (const auto& [first, last] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                 {0, 0}, {5, 104}, {0xffffff00, 0xffffffff}, {~0u, ~0u}}) {
            TestPartition partition(mode, first, last, 3, 1);
            CHECK(each_once(drain(partition, 1), 3 * (last - first + 1)));
            CHECK(partition.finished());
            CHECK_FALSE(partition.take(0, 1));
        }
    }
}

TEST_CASE("several workers are handed every nonce of every group once") {
    TestPartition dynamic(kDynamic, 1000, 1999, 4, 5);
    CHECK(each_once(drain(dynamic, 5), 4000));

    // Static pieces are drained one after the other.
    for (const std::uint32_t nonces : {1u, 4u, 5u, 1001u}) {
        TestPartition partition(kStatic, 0xffffffff - (nonces - 1), 0xffffffff, 4, 5);
        Counts counts;
        for (std::size_t w = 0; w < 5; ++w) {
            for (std::uint64_t left = 4 * partition.piece(w).count; left > 0;) {
                const auto unit = partition.take(w, 37);
                REQUIRE(unit);
                CHECK(unit->nonces.first >= partition.piece(w).first);
                count(counts, *unit);
                partition.complete(w, *unit);
                left -= unit->nonces.count;
            }
        }
        CHECK(partition.finished());
        CHECK(each_once(counts, 4 * nonces));
    }
}

TEST_CASE("units shrink near the end, so that workers end together, but not to nothing") {
    TestPartition partition(kDynamic, 0, 0xffffffff, 1, 4);
    std::uint64_t sum = 0;
    std::uint64_t units = 0;
    while (const auto unit = partition.take(0, kAllNonces)) {
        const std::uint64_t remaining = kAllNonces - sum;
        CHECK(unit->nonces.count <= std::max<std::uint64_t>(remaining / 8, 4096));
        sum += unit->nonces.count;
        CHECK((unit->nonces.count >= 4096 || sum == kAllNonces));
        partition.complete(0, *unit);
        ++units;
    }
    CHECK(sum == kAllNonces);
    CHECK(units < 200);
}

namespace {

struct Runner {
    double speed;        ///< nonces per second
    double overhead;     ///< seconds for each unit
    double batch;        ///< seconds that a unit takes at most
    double most = 4096;  ///< nonces that it asks for: at first few, then twice as many each time
    double measured = 0;
    double free_at = 0;
    unsigned units = 0;

    /// Asks for its next unit as a Worker does, and is busy with it.
    WorkUnit run(Partition& partition, std::size_t index, bool tell_speed) {
        const double nonces = std::min({most, speed * batch, measured > 0 ? measured * batch : most});
        const auto unit =
            partition.take(index, static_cast<std::uint64_t>(std::max(nonces, 1.0)), tell_speed ? measured : 0);
        REQUIRE(unit);
        const auto count = static_cast<double>(unit->nonces.count);
        const double seconds = overhead + count / speed;
        most *= 2;
        measured = count / seconds;
        free_at += seconds;
        ++units;
        return *unit;
    }
};

/// Lets each take the next unit when it has done its last one, and tells the partition the speed that it measured, or
/// not. Returns when the first one and when the last one finds nothing left, in seconds.
std::pair<double, double> race(std::vector<Runner>& runners, std::uint32_t last, bool tell_speed) {
    TestPartition partition(kDynamic, 0, last, 1, runners.size());
    std::vector<std::optional<WorkUnit>> held(runners.size());
    std::uint64_t left = std::uint64_t{last} + 1;
    for (;;) {
        const auto next = std::ranges::min_element(runners, {}, &Runner::free_at);
        if (left == 0) {  // from here on each would wait for the others
            return {next->free_at, std::ranges::max(runners, {}, &Runner::free_at).free_at};
        }
        const auto index = static_cast<std::size_t>(next - runners.begin());
        if (held[index]) partition.complete(index, *held[index]);
        held[index] = next->run(partition, index, tell_speed);
        left -= held[index]->nonces.count;
    }
}

}  // namespace

TEST_CASE("a fast worker beside slow ones gets few units, and all end together") {
    std::vector<Runner> runners(15, {.speed = 25e6, .overhead = 20e-6, .batch = 0.005});
    runners.push_back({.speed = 8.8e9, .overhead = 300e-6, .batch = 0.05});  // a GPU
    double together = 0;
    for (const Runner& runner : runners) together += runner.speed;
    std::vector<Runner> strangers = runners;  // with the same speeds, which the partition is not told
    const std::uint32_t last = 0xffffffff;
    const double ideal = static_cast<double>(last) / together;

    const auto [first_end, last_end] = race(runners, last, true);
    CHECK(last_end - first_end < 0.006);
    CHECK(last_end < 1.03 * ideal);
    CHECK(runners.back().units < 40);

    CHECK(race(strangers, last, false).second > 1.08 * ideal);
}

TEST_CASE("units above the bound are not handed out") {
    for (const PartitionMode mode : {kStatic, kDynamic}) {
        TestPartition partition(mode, 0, 99, 5, 1);
        partition.set_bound({2, 49});
        partition.set_bound({3, 0});  // higher: changes nothing
        std::uint64_t sum = 0;
        while (const auto unit = partition.take(0, 10)) {
            CHECK(unit->key() <= UnitKey{2, 49});
            sum += unit->nonces.count;
            partition.complete(0, *unit);
        }
        CHECK(sum == 250);
        CHECK(partition.finished());
    }
    TestPartition partition(kDynamic, 0, 99, 1, 1);
    const auto low = partition.take(0, 50);
    const auto high = partition.take(0, 50);
    REQUIRE(high);
    partition.give_back(0, *high, false);
    CHECK_FALSE(partition.finished());
    partition.set_bound({0, 20});
    partition.complete(0, *low);
    CHECK(partition.finished());
}

TEST_CASE("workers join a dynamic partition at any time") {
    TestPartition partition(kDynamic, 0, 99, 1);
    CHECK(partition.is_cut());
    CHECK_FALSE(partition.finished());
    const auto first = partition.add_worker();
    const auto held = partition.take(first, 10);
    const auto second = partition.add_worker();
    CHECK(second == first + 1);
    CHECK(partition.piece(second) == NonceRange{0, 100});
    partition.quarantine(first, held, true);
    Counts counts;
    while (const auto unit = partition.take(second, 30)) {
        count(counts, *unit);
        partition.complete(second, *unit);
    }
    CHECK(each_once(counts, 100));
}

TEST_CASE("a static partition hands out nothing before it is cut") {
    TestPartition partition(kStatic, 0, 99, 1);
    const auto late = partition.add_worker();
    const auto early = partition.add_worker();
    const auto failed = partition.add_worker();
    auto waiting = std::async(std::launch::async, [&] { return partition.take(early, 100); });
    CHECK(waiting.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout);
    CHECK_FALSE(partition.is_cut());
    CHECK_FALSE(partition.finished());
    CHECK(partition.piece(early).count == 0);
    partition.quarantine(failed, std::nullopt, false);
    SECTION("it is cut: pieces are in the order given, and that of one that failed goes to the others") {
        partition.cut({});  // changes nothing
        CHECK_FALSE(partition.is_cut());
        partition.cut({failed, early, late});
        CHECK(partition.piece(failed) == NonceRange{0, 34});
        CHECK(partition.piece(early) == NonceRange{34, 33});
        CHECK(partition.piece(late) == NonceRange{67, 33});
        const auto unit = waiting.get();
        REQUIRE(unit == WorkUnit{0, {34, 33}});
        Counts counts;
        count(counts, *unit);
        partition.complete(early, *unit);
        const auto too_late = partition.add_worker();  // takes part in what no worker owns
        CHECK(partition.piece(too_late).count == 0);
        for (const auto worker : {too_late, late}) {
            const auto next = partition.take(worker, 100);
            REQUIRE(next);
            count(counts, *next);
            partition.complete(worker, *next);
            if (worker == too_late) CHECK(next->nonces.first == 0);
        }
        while (const auto next = partition.take(late, 100)) {
            count(counts, *next);
            partition.complete(late, *next);
        }
        CHECK(partition.finished());
        CHECK(each_once(counts, 100));
    }
    SECTION("it is stopped") {
        partition.stop();
        CHECK_FALSE(waiting.get());
        CHECK_FALSE(partition.finished());
    }
}
