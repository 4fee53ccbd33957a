// Tests of the partition: units that come back, and workers that wait.
#include <chrono>
#include <future>
#include <vector>

#include "partition_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("what is given back to others goes to them, and to the giver only where no other is left") {
    TestPartition partition(kDynamic, 0, 99, 1, 3);
    const auto unit = partition.take(0, 100);
    REQUIRE(unit == WorkUnit{0, {0, 100}});
    partition.give_back(0, *unit, true);
    auto again = std::async(std::launch::async, [&] { return partition.take(0, 100); });
    CHECK(again.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout);

    const auto front = partition.take(1, 60);
    REQUIRE(front == WorkUnit{0, {0, 60}});
    partition.quarantine(2, std::nullopt, false);
    CHECK(again.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout);
    partition.quarantine(1, front, false);
    const auto taken = again.get();
    REQUIRE(taken);
    CHECK((taken->nonces.count == 60 || taken->nonces.count == 40));
    partition.complete(0, *taken);
    const auto rest = partition.take(0, 100);
    REQUIRE(rest);
    partition.complete(0, *rest);
    CHECK(taken->nonces.count + rest->nonces.count == 100);
    CHECK(partition.finished());
}

TEST_CASE("a quarantined worker's piece goes to those who have finished theirs") {
    TestPartition partition(kStatic, 0, 99, 2, 2);
    Counts counts;
    const auto first = partition.take(0, 10);
    REQUIRE(first);
    count(counts, *first);
    partition.complete(0, *first);
    const auto held = partition.take(0, 10);
    for (int i = 0; i < 2; ++i) {
        const auto unit = partition.take(1, 1000);
        REQUIRE(unit);
        CHECK(unit->nonces == NonceRange{50, 50});
        count(counts, *unit);
        partition.complete(1, *unit);
    }
    auto waiting = std::async(std::launch::async, [&] {
        std::vector<WorkUnit> units;
        while (const auto unit = partition.take(1, 1000)) {
            units.push_back(*unit);
            partition.complete(1, *unit);
        }
        return units;
    });
    CHECK(waiting.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout);

    SECTION("trusted: what it completed stays done") {
        partition.quarantine(0, held, false);
        for (const WorkUnit& unit : waiting.get()) count(counts, unit);
        CHECK(each_once(counts, 200));
    }
    SECTION("distrusted: what it completed comes back, too") {
        partition.quarantine(0, held, true);
        for (const WorkUnit& unit : waiting.get()) count(counts, unit);
        CHECK(counts.size() == 200);
        for (const auto& [key, times] : counts) CHECK(times == (key.first == 0 && key.second < 10 ? 2 : 1));
    }
    CHECK(partition.finished());
}

TEST_CASE("stopping wakes those who wait, and work in flight is not finished work") {
    TestPartition partition(kDynamic, 0, 9, 1, 2);
    const auto held = partition.take(0, 10);
    auto waiting = std::async(std::launch::async, [&] { return partition.take(1, 10); });
    CHECK(waiting.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout);
    partition.stop();
    CHECK_FALSE(waiting.get());
    CHECK(partition.stopped());
    CHECK_FALSE(partition.finished());
    partition.complete(0, *held);
    CHECK(partition.finished());
}

TEST_CASE("a paused partition hands out nothing until it goes on or is stopped") {
    TestPartition partition(kDynamic, 0, 9, 1, 1);
    partition.set_hold(Hold::kPaused, true);
    auto waiting = std::async(std::launch::async, [&] { return partition.take(0, 4); });
    CHECK(waiting.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout);
    SECTION("it goes on") {
        partition.set_hold(Hold::kPaused, false);
        CHECK(waiting.get() == WorkUnit{0, {0, 4}});
    }
    SECTION("it is stopped") {
        partition.stop();
        CHECK_FALSE(waiting.get());
    }
}

TEST_CASE("a paused worker waits, and does not count as another one") {
    TestPartition partition(kDynamic, 0, 99, 1, 2);
    partition.set_worker_paused(1, true);
    auto waiting = std::async(std::launch::async, [&] { return partition.take(1, 10); });
    const auto unit = partition.take(0, 10);
    REQUIRE(unit);
    CHECK(waiting.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout);
    partition.give_back(0, *unit, true);
    CHECK(partition.take(0, 10) == unit);  // no other is there to search it again
    partition.give_back(0, *unit, true);
    partition.set_worker_paused(1, false);
    CHECK(waiting.get() == unit);
}
