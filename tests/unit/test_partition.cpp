// The partition: every nonce of every group handed out once, in pieces as promised, and again when given back.
#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <thread>

#include "host/search/partition.hpp"
#include "host/search/version_space.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

namespace {

constexpr auto kStatic = PartitionMode::kStatic;
constexpr auto kDynamic = PartitionMode::kDynamic;
constexpr std::uint64_t kAll = std::uint64_t{1} << 32;

using Counts = std::map<std::pair<std::uint64_t, std::uint64_t>, int>;  // (group, nonce) -> times

void count(Counts& counts, const WorkUnit& unit) {
    for (std::uint64_t i = 0; i < unit.nonces.count; ++i) ++counts[{unit.group, unit.nonces.first + i}];
}

/// All workers in turn, one unit each, until nothing is left; with unit sizes that differ. For a dynamic
/// partition, or one worker: in one thread nobody can wait for another.
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

bool each_once(const Counts& counts, std::size_t expected) {
    return counts.size() == expected &&
           std::all_of(counts.begin(), counts.end(), [](const auto& entry) { return entry.second == 1; });
}

}  // namespace

TEST_CASE("three workers over 32 bits get the pieces that the interface promises") {
    const Partition partition(kStatic, 0, 0xffffffff, 1, 3);
    CHECK(partition.piece(0) == NonceRange{0x00000000, 0x55555556});
    CHECK(partition.piece(1) == NonceRange{0x55555556, 0x55555555});
    CHECK(partition.piece(2) == NonceRange{0xaaaaaaab, 0x55555555});
}

TEST_CASE("static pieces are contiguous and differ by at most one, the larger ones first") {
    const std::uint32_t last = 0xffffffff;
    for (const std::uint32_t first : {0u, 1u, last - 100, last - 15, last - 2, last}) {
        for (std::size_t workers = 1; workers <= 17; ++workers) {
            const Partition partition(kStatic, first, last, 1, workers);
            std::uint64_t next = first;
            for (std::size_t w = 0; w < workers; ++w) {
                const NonceRange piece = partition.piece(w);
                if (piece.count > 0) CHECK(piece.first == next);
                CHECK(piece.count <= partition.piece(0).count);
                CHECK(piece.count + 1 >= partition.piece(0).count);
                if (w > 0) CHECK(piece.count <= partition.piece(w - 1).count);
                next += piece.count;
            }
            CHECK(next == std::uint64_t{last} + 1);
        }
    }
}

TEST_CASE("one worker is handed every nonce of every group once") {
    for (const PartitionMode mode : {kStatic, kDynamic}) {
        for (const auto& [first, last] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                 {0, 0}, {5, 104}, {0xffffff00, 0xffffffff}, {~0u, ~0u}}) {
            Partition partition(mode, first, last, 3, 1);
            CHECK(each_once(drain(partition, 1), 3 * (last - first + 1)));
            CHECK(partition.finished());
            CHECK_FALSE(partition.take(0, 1));
        }
    }
}

TEST_CASE("several workers are handed every nonce of every group once") {
    Partition dynamic(kDynamic, 1000, 1999, 4, 5);
    CHECK(each_once(drain(dynamic, 5), 4000));

    // Static pieces are drained one after the other.
    for (const std::uint32_t nonces : {1u, 4u, 5u, 1001u}) {
        Partition partition(kStatic, 0xffffffff - (nonces - 1), 0xffffffff, 4, 5);
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
    Partition partition(kDynamic, 0, 0xffffffff, 1, 4);
    std::uint64_t sum = 0;
    std::uint64_t units = 0;
    while (const auto unit = partition.take(0, kAll)) {
        const std::uint64_t remaining = kAll - sum;
        CHECK(unit->nonces.count <= std::max<std::uint64_t>(remaining / 8, 4096));
        sum += unit->nonces.count;
        CHECK((unit->nonces.count >= 4096 || sum == kAll));
        partition.complete(0, *unit);
        ++units;
    }
    CHECK(sum == kAll);
    CHECK(units < 200);
}

TEST_CASE("what is given back to others goes to them, and to the giver only where nobody else is left") {
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

TEST_CASE("units above the bound are not handed out") {
    for (const PartitionMode mode : {kStatic, kDynamic}) {
        Partition partition(mode, 0, 99, 5, 1);
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
    Partition partition(kDynamic, 0, 99, 1, 1);
    const auto low = partition.take(0, 50);
    const auto high = partition.take(0, 50);
    REQUIRE(high);
    partition.give_back(0, *high, false);
    CHECK_FALSE(partition.finished());
    partition.set_bound({0, 20});
    partition.complete(0, *low);
    CHECK(partition.finished());
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

TEST_CASE("workers join a dynamic partition at any time") {
    Partition partition(kDynamic, 0, 99, 1);
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
    Partition partition(kStatic, 0, 99, 1);
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
        const auto too_late = partition.add_worker();  // takes part in what nobody owns
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

TEST_CASE("a paused worker waits, and does not count as another one") {
    Partition partition(kDynamic, 0, 99, 1, 2);
    partition.set_worker_paused(1, true);
    auto waiting = std::async(std::launch::async, [&] { return partition.take(1, 10); });
    const auto unit = partition.take(0, 10);
    REQUIRE(unit);
    CHECK(waiting.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout);
    partition.give_back(0, *unit, true);
    CHECK(partition.take(0, 10) == unit);  // nobody else is there to search it again
    partition.give_back(0, *unit, true);
    partition.set_worker_paused(1, false);
    CHECK(waiting.get() == unit);
}

TEST_CASE("a space of 2^64 pairs does not overflow") {
    Partition partition(kDynamic, 0, 0xffffffff, kAll, 2);
    CHECK(partition.take(0, kAll) == WorkUnit{0, {0, kAll}});
    CHECK(partition.take(1, kAll) == WorkUnit{1, {0, kAll}});
    CHECK_FALSE(partition.finished());
}

TEST_CASE("versions are the subsets of the mask over the header's other bits, ascending") {
    const VersionSpace fixed(0x12345678, 0, 8);
    CHECK(fixed.size() == 1);
    CHECK(fixed.groups() == 1);
    CHECK(fixed.group(0) == std::vector<std::uint32_t>{0x12345678});

    const VersionSpace rolled(0x2000e005, 0x0000a001, 8);
    CHECK(rolled.group(0) == std::vector<std::uint32_t>{0x20004004, 0x20004005, 0x20006004, 0x20006005, 0x2000c004,
                                                        0x2000c005, 0x2000e004, 0x2000e005});

    const VersionSpace bip320(0x20000000, 0x1fffe000, 8);
    CHECK(bip320.size() == 65536);
    CHECK(bip320.groups() == 8192);
    CHECK(bip320.version(65535) == 0x3fffe000);
    for (std::uint64_t i = 1; i < bip320.size(); ++i) REQUIRE(bip320.version(i) > bip320.version(i - 1));
    CHECK(bip320.group(8191).back() == 0x3fffe000);

    const VersionSpace one_by_one(0, 0xffffffff, 1);
    CHECK(one_by_one.groups() == kAll);
    CHECK(one_by_one.version(0xdeadbeef) == 0xdeadbeef);
}
