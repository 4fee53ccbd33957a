// Tests of the partition: the sizes of its units, its bound, and work that comes back. (That every nonce of every group
// is handed out once, whatever workers do and wait for, is proved by the random schedules in tests/simulation.)
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "partition_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

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

TEST_CASE("what is given back for another goes to another, before anything new") {
    TestPartition partition(kDynamic, 0, 199, 1, 2);
    const auto unit = partition.take(0, 100);
    REQUIRE(unit == WorkUnit{0, {0, 100}});
    partition.give_back(0, *unit, true);
    CHECK(partition.take(0, 100) == WorkUnit{0, {100, 100}});
    CHECK(partition.take(1, 60) == WorkUnit{0, {0, 60}});
}

TEST_CASE("a paused worker does not count as another one") {
    TestPartition partition(kDynamic, 0, 99, 1, 2);
    partition.set_worker_paused(1, true);
    const auto unit = partition.take(0, 10);
    REQUIRE(unit);
    partition.give_back(0, *unit, true);
    CHECK(partition.take(0, 10) == unit);
}
