// Tests of the partition: units that come back, and workers that wait.
#include <chrono>
#include <future>
#include <vector>

#include "partition_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("what is given back to others goes to them, and to the giver only where no other is left") {
    Partition partition(kDynamic, 0, 99, 1, 3);
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
    Partition partition(kStatic, 0, 99, 2, 2);
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

TEST_CASE("what a distrusted worker searched is remembered through any number of units") {
    constexpr std::uint32_t kUnits = 100'000;  // more than are kept one by one
    Partition partition(kDynamic, 0, kUnits - 1, 2, 2);
    std::vector<bool> by_first(2 * kUnits, false);
    for (std::uint32_t i = 0; i < 2 * kUnits; ++i) {
        const std::size_t worker = i % 3 == 0 ? 0 : 1;
        const auto unit = partition.take(worker, 1);
        REQUIRE(unit);
        by_first[unit->group * kUnits + unit->nonces.first] = worker == 0;
        partition.complete(worker, *unit);
    }
    REQUIRE(partition.finished());
    partition.quarantine(0, std::nullopt, true);
    CHECK_FALSE(partition.finished());
    while (const auto unit = partition.take(1, 1000)) {
        for (std::uint64_t k = 0; k < unit->nonces.count; ++k) {
            by_first[unit->group * kUnits + unit->nonces.first + k] = false;
        }
        partition.complete(1, *unit);
    }
    CHECK(std::none_of(by_first.begin(), by_first.end(), [](bool left) { return left; }));
}

TEST_CASE("what a distrusted worker searched of many groups is remembered, too, and comes back group by group") {
    constexpr std::uint64_t kGroups = 200'000, kNonces = 6;  // the worker's own piece is half of them
    Partition partition(kStatic, 10, 10 + kNonces - 1, kGroups, 2);
    std::vector<int> times(kGroups * kNonces);
    const auto count_unit = [&](const WorkUnit& unit) {
        REQUIRE(unit.nonces.first + unit.nonces.count <= 10 + kNonces);
        for (std::uint64_t i = 0; i < unit.nonces.count; ++i)
            ++times[unit.group * kNonces + unit.nonces.first - 10 + i];
    };
    for (std::uint64_t group = 0; group < kGroups; ++group) {
        const auto unit = partition.take(0, kNonces);
        REQUIRE(unit);
        partition.complete(0, *unit);  // by a worker whose results turn out to be wrong
    }
    partition.quarantine(0, std::nullopt, true);
    while (const auto unit = partition.take(1, 1000)) {
        count_unit(*unit);
        partition.complete(1, *unit);
    }
    CHECK(partition.finished());
    CHECK(std::ranges::none_of(times, [](int t) { return t == 0; }));
}

TEST_CASE("stopping wakes those who wait, and work in flight is not finished work") {
    Partition partition(kDynamic, 0, 9, 1, 2);
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
    Partition partition(kDynamic, 0, 9, 1, 1);
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
    Partition partition(kDynamic, 0, 99, 1, 2);
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
