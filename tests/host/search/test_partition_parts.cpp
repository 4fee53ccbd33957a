// Tests of what a partition consists of, each alone: the cursor, what came back, the account of what is done.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "host/search/returned_work.hpp"
#include "host/search/work_account.hpp"
#include "host/search/work_cursor.hpp"
#include "partition_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

const std::vector<std::size_t> kThree = {0, 1, 2};

/// All workers in turn, one unit each, until there is nothing for any of them.
Counts drain(WorkCursor& cursor, std::size_t workers) {
    Counts counts;
    for (std::size_t turn = 0, idle = 0; idle < workers; ++turn) {
        const auto unit = cursor.next(turn % workers, 1 + 7 * (turn % workers), {});
        idle = unit ? 0 : idle + 1;
        if (unit) count(counts, *unit);
    }
    return counts;
}

}  // namespace

TEST_CASE("three workers over 32 bits get the pieces that the interface promises") {
    WorkCursor cursor(space_of(0, 0xffffffff, 1), kStatic, nullptr);
    CHECK(cursor.piece(0) == NonceRange{});
    CHECK_FALSE(cursor.next(0, 1, {}));
    CHECK_FALSE(cursor.at_end());
    cursor.cut(kThree);
    CHECK(cursor.piece(0) == NonceRange{0x00000000, 0x55555556});
    CHECK(cursor.piece(1) == NonceRange{0x55555556, 0x55555555});
    CHECK(cursor.piece(2) == NonceRange{0xaaaaaaab, 0x55555555});
    CHECK(cursor.piece(3) == NonceRange{});
}

TEST_CASE("static pieces are contiguous and differ by at most one, the larger ones first") {
    const std::uint32_t last = 0xffffffff;
    for (const std::uint32_t first : {0u, 1u, last - 100, last - 15, last - 2, last}) {
        std::vector<std::size_t> owners;
        while (owners.size() < 17) {
            owners.push_back(owners.size());
            WorkCursor cursor(space_of(first, last, 1), kStatic, nullptr);
            cursor.cut(owners);
            std::uint64_t next = first, before = cursor.piece(0).count;
            for (const std::size_t owner : owners) {
                const NonceRange piece = cursor.piece(owner);
                if (piece.count > 0) CHECK(piece.first == next);
                CHECK(piece.count <= before);
                CHECK(piece.count + 1 >= cursor.piece(0).count);
                before = piece.count;
                next += piece.count;
            }
            CHECK(next == std::uint64_t{last} + 1);
        }
    }
}

TEST_CASE("a cursor hands out what is not done, up to the bound, each nonce once") {
    std::mt19937 random(23);
    for (int round = 0; round < 200; ++round) {
        const std::uint64_t groups = 1 + random() % 5, nonces = 1 + random() % 60;
        const auto first = static_cast<std::uint32_t>(random() % 2 == 0 ? 17 : kAllNonces - nonces);
        const WorkSpace space{{first, nonces}, groups};
        IntervalSet done;
        for (int piece = 0; piece < 4; ++piece) {
            const std::uint64_t begin = random() % space.positions();
            done.add({begin, std::min<std::uint64_t>(space.positions(), begin + random() % 80)});
        }
        const bool records = random() % 3 != 0, is_static = random() % 2 == 0;
        const std::uint64_t skipped = is_static ? 0 : random() % groups;
        const std::uint64_t bound = random() % 2 == 0 ? space.positions() - 1 : random() % space.positions();
        WorkCursor cursor(space, is_static ? kStatic : kDynamic, records ? &done : nullptr);
        if (is_static) cursor.cut(kThree);
        cursor.skip_to(skipped);
        cursor.set_bound(space.key(bound));
        cursor.set_bound(kNoBound);  // higher: changes nothing
        if (is_static && random() % 2 == 0) cursor.release(1);
        Counts counts = drain(cursor, 3);
        CHECK(cursor.at_end());
        for (std::uint64_t position = 0; position < space.positions(); ++position) {
            const UnitKey key = space.key(position);
            REQUIRE(space.position(key) == position);
            const int times = counts[{key.group, key.nonce}];
            const bool wanted = key.group >= skipped && !(records && done.end_at(position));
            // A unit that starts up to the bound may end after it.
            if (position <= bound || !wanted) CHECK(times == (wanted ? 1 : 0));
            CHECK(times <= 1);
        }
        CHECK(counts.size() == space.positions());
    }
}

TEST_CASE("others get the rest of a released piece, and not before they have done their own") {
    WorkCursor cursor(space_of(0, 99, 2), kStatic, nullptr);
    cursor.cut({0, 1});
    CHECK(cursor.next(0, 10, {}) == WorkUnit{0, {0, 10}});
    CHECK(cursor.next(1, 100, {}) == WorkUnit{0, {50, 50}});
    cursor.release(0);
    CHECK(cursor.piece(0) == NonceRange{0, 50});
    CHECK(cursor.next(1, 100, {}) == WorkUnit{1, {50, 50}});
    CHECK(cursor.next(1, 100, {}) == WorkUnit{0, {10, 40}});
    CHECK(cursor.next(2, 100, {}) == WorkUnit{1, {0, 50}});
    CHECK(cursor.at_end());
}

TEST_CASE("a worker that is far ahead helps the last one where what is done is recorded, which stays short") {
    constexpr std::uint64_t kGroups = 1u << 17, kMostEntries = (1u << 16) + 2;
    const WorkSpace space = space_of(0, 1, kGroups);
    IntervalSet done;
    WorkCursor cursor(space, kStatic, &done);
    cursor.cut({0, 1});
    std::vector<std::uint8_t> times(2 * kGroups);
    const auto do_next = [&](std::size_t worker) {
        const auto unit = cursor.next(worker, 1, {});
        if (!unit) return false;
        const Interval positions = space.interval(unit->key(), unit->nonces.count);
        ++times[positions.first];
        done.add(positions);
        return true;
    };
    std::size_t most_entries = 0;
    for (std::uint64_t i = 0; i < kGroups; ++i) {
        REQUIRE(do_next(0));
        most_entries = std::max(most_entries, done.intervals().size());
    }
    CHECK(most_entries <= kMostEntries);
    while (!times.back()) REQUIRE(do_next(1));  // its piece is the upper nonce of each group
    while (!cursor.at_end()) REQUIRE(do_next(0));
    CHECK(std::ranges::count(times, 1) == static_cast<std::ptrdiff_t>(times.size()));
}

TEST_CASE("a space of 2^64 pairs, and groups numbered beyond what positions hold, do not overflow") {
    WorkCursor cursor(space_of(0, 0xffffffff, kAllNonces), kDynamic, nullptr);
    CHECK(cursor.next(0, kAllNonces, 0.5) == WorkUnit{0, {0, kAllNonces}});
    CHECK(cursor.next(1, kAllNonces, 0.5) == WorkUnit{1, {0, kAllNonces}});
    CHECK_FALSE(cursor.at_end());

    constexpr std::uint64_t kJob = std::uint64_t{7} << 32;
    const WorkSpace endless = space_of(0, 0xffffffff, ~std::uint64_t{0});
    WorkCursor jobs(endless, kDynamic, nullptr);
    ReturnedWork returned(endless);
    jobs.skip_to(kJob);
    const auto unit = jobs.next(0, 1000, {});
    REQUIRE(unit == WorkUnit{kJob, {0, 1000}});
    returned.add(unit->key(), unit->nonces.count);
    CHECK(returned.next(0, 600, true) == WorkUnit{kJob, {0, 600}});
    CHECK(returned.next(0, 600, true) == WorkUnit{kJob, {600, 400}});
    returned.skip_to(kJob + kAllNonces);
    returned.add(unit->key(), unit->nonces.count);
    CHECK(returned.empty());
}

TEST_CASE("what came back is handed out once, lowest first, not across groups, and to others than the giver") {
    std::mt19937 random(24);
    for (int round = 0; round < 300; ++round) {
        const WorkSpace space{{static_cast<std::uint32_t>(kAllNonces - 10), 10}, 6};
        constexpr int kAbsent = -2, kForAll = -1;
        std::vector<int> model(space.positions(), kAbsent);  // otherwise the worker that is not to get it
        ReturnedWork returned(space);
        std::uint64_t bound = space.positions();
        const auto drop = [&](std::uint64_t first, std::uint64_t end) {
            std::fill(model.begin() + static_cast<std::ptrdiff_t>(first),
                      model.begin() + static_cast<std::ptrdiff_t>(end), kAbsent);
        };
        for (int step = 0; step < 40; ++step) {
            const int worker = static_cast<int>(random() % 2);
            if (random() % 2 == 0) {
                const std::uint64_t first = random() % space.positions();
                std::uint64_t end = first;
                while (end < space.positions() && end < first + 25 && model[end] == kAbsent) ++end;
                const bool by_another = random() % 3 == 0;
                returned.add(space.key(first), end - first, by_another ? static_cast<std::size_t>(worker) : kAnyWorker);
                if (first <= bound)
                    std::fill(model.begin() + static_cast<std::ptrdiff_t>(first),
                              model.begin() + static_cast<std::ptrdiff_t>(end), by_another ? worker : kForAll);
            } else if (random() % 20 == 0) {
                bound = std::min<std::uint64_t>(bound, random() % space.positions());
                returned.set_bound(space.key(bound));
            } else {
                const bool is_alone = random() % 2 == 0;
                const std::uint64_t most = 1 + random() % 12;
                const auto unit = returned.next(static_cast<std::size_t>(worker), most, is_alone);
                const auto lowest = std::ranges::find_if(
                    model, [&](int not_for) { return not_for != kAbsent && (is_alone || not_for != worker); });
                const auto expected = static_cast<std::uint64_t>(lowest - model.begin());
                REQUIRE(unit.has_value() == (expected < space.positions() && expected <= bound));
                if (!unit) continue;
                REQUIRE(space.position(unit->key()) == expected);
                REQUIRE(unit->nonces.count <= most);
                REQUIRE(unit->nonces.first - space.nonces.first + unit->nonces.count <= space.nonces.count);
                for (std::uint64_t i = expected; i < expected + unit->nonces.count; ++i)
                    REQUIRE(model[i] == model[expected]);
                drop(expected, expected + unit->nonces.count);
            }
            std::uint64_t size = 0;
            for (std::uint64_t i = 0; i < model.size() && i <= bound; ++i) size += model[i] != kAbsent ? 1 : 0;
            REQUIRE(returned.size() == size);
        }
        for (const Interval& positions : returned.take_all()) {
            for (std::uint64_t i = positions.first; i < positions.end; ++i) REQUIRE(model[i] != kAbsent);
            drop(positions.first, positions.end);
        }
        CHECK(returned.empty());
    }
}

TEST_CASE("a bound whose nonce lies beyond the range is that of its group") {
    ReturnedWork returned({{0, 100}, 6});
    returned.add({0, 0}, 600);
    returned.set_bound({2, 0xffffffff});
    CHECK(returned.size() == 300);
}

TEST_CASE("an account knows what is done, by whom, and what is not any more") {
    std::mt19937 random(25);
    constexpr std::uint64_t kPositions = 200;
    constexpr int kNobody = -1;
    for (int round = 0; round < 100; ++round) {
        IntervalSet before, undone;
        before.add({0, 20});
        WorkAccount account(before);
        std::vector<int> by(kPositions, kNobody);
        DoneWork told;  // as whoever takes the changes adds them up
        const auto positions_of = [&](auto wanted) {
            IntervalSet set;
            for (std::uint64_t i = 20; i < kPositions; ++i) {
                if (wanted(by[i])) set.add({i, i + 1});
            }
            return set;
        };
        for (int step = 0; step < 60; ++step) {
            const int worker = static_cast<int>(random() % 3);
            const std::uint64_t first = 20 + random() % (kPositions - 20);
            std::uint64_t end = first;
            while (end < kPositions && end < first + 15 && by[end] == kNobody) by[end++] = worker;
            if (end > first) account.complete(static_cast<std::size_t>(worker), {first, end});
            if (step % 20 == 19) told.add(account.take_changes());
            if (random() % 15 != 0) continue;
            IntervalSet again;
            for (const Interval& positions : account.distrust(static_cast<std::size_t>(worker))) again.add(positions);
            CHECK(again == positions_of([&](int who) { return who == worker; }));
            std::ranges::replace(by, worker, kNobody);
        }
        told.add(account.take_changes());
        IntervalSet done = positions_of([](int who) { return who != kNobody; });
        done.add({0, 20});
        CHECK(told.done == done);
        for (const auto& [first, end] : told.undone.intervals()) CHECK_FALSE(done.end_at(first));
        REQUIRE(account.record() != nullptr);
        CHECK(account.record()->empty());
    }
    WorkAccount unrecorded;
    unrecorded.complete(0, {0, 10});
    CHECK(unrecorded.record() == nullptr);
    CHECK(unrecorded.take_changes().done.empty());
    CHECK(unrecorded.distrust(0) == std::vector<Interval>{{0, 10}});
    CHECK(unrecorded.distrust(1).empty());
}

TEST_CASE("of very many units of a worker that is not trusted, little more than it did is to be done again") {
    constexpr std::uint64_t kNear = 1, kFar = 1000, kCycle = 2 + kNear + kFar;
    for (const std::uint64_t cycles : {40'000, 200'000}) {
        WorkAccount account;
        for (std::uint64_t start = 0; start < cycles * kCycle; start += kCycle) {  // with what others do in between
            account.complete(0, {start, start + 1});
            account.complete(0, {start + 1 + kNear, start + 2 + kNear});
        }
        const std::vector<Interval> again = account.distrust(0);
        CHECK(again.size() < (1u << 16));  // fewer than there were
        IntervalSet all;
        for (const Interval& positions : again) all.add(positions);
        if (cycles == 40'000) CHECK(all.size() <= cycles * (2 + kNear));
        std::uint64_t missing = 0;
        for (std::uint64_t start = 0; start < cycles * kCycle; start += kCycle)
            missing += (all.end_at(start) ? 0 : 1) + (all.end_at(start + 1 + kNear) ? 0 : 1);
        CHECK(missing == 0);
    }
}
