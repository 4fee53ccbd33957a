// Tests of the journal's queue: its batches, and the end of waiting for the disk. Time is the test's own.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "net/journal/queue.hpp"
#include "tests/catch.hpp"

using gpuminer::net::JournalQueue;
using gpuminer::net::JournalTicket;
using gpuminer::net::SteadyTime;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

/// Of a disk that is waited for for 2 s, and for 100 ms at the end.
struct SlowDisk {
    SteadyTime now{std::chrono::hours(1)};
    JournalQueue queue{{}};

    JournalTicket add(const std::string& line) { return queue.add(line, now); }
    bool wait(milliseconds time) {
        now += time;
        return queue.look_at_clock(now);
    }
    std::optional<std::uint64_t> write() {
        (void)queue.take();
        queue.settle();
        return queue.answered(now);
    }
};

}  // namespace

TEST_CASE("entries are written together, in their order, and released when they are on disk", "[journal]") {
    SlowDisk disk;
    CHECK(disk.queue.empty());
    CHECK_FALSE(disk.queue.next_release());
    CHECK(disk.add("a\n") == 1);
    disk.now += seconds(1);
    CHECK(disk.add("b\n") == 2);
    CHECK(disk.queue.take() == "a\nb\n");
    CHECK(disk.queue.empty());
    CHECK(disk.add("c\n") == 3);
    CHECK(disk.queue.released() == 0);
    CHECK(disk.queue.unwritten() == 3);
    CHECK(disk.queue.next_release() == disk.now + seconds(1));  // from the oldest on
    disk.queue.settle();
    CHECK_FALSE(disk.queue.answered(disk.now));
    CHECK(disk.queue.released() == 2);
    CHECK(disk.queue.take() == "c\n");
    disk.queue.settle();
    CHECK(disk.queue.released() == 3);
    CHECK(disk.queue.unwritten() == 0);
    CHECK_FALSE(disk.queue.next_release());
}

TEST_CASE("no more than a megabyte is written at once, but for a single entry", "[journal]") {
    SlowDisk disk;
    const std::string half(std::size_t{1} << 19, 'x');
    const std::string large(std::size_t{3} << 20, 'y');
    for (const std::string& line : {half, half, half, large}) disk.add(line);
    CHECK(disk.queue.take() == half + half);
    CHECK(disk.queue.take() == half);
    CHECK(disk.queue.take() == large);
}

TEST_CASE("a disk that does not answer is waited for once", "[journal]") {
    SlowDisk disk;
    disk.add("a\n");
    (void)disk.queue.take();
    CHECK_FALSE(disk.wait(milliseconds(1'999)));
    CHECK(disk.add("b\n") == 2);
    CHECK(disk.queue.released() == 0);
    CHECK(disk.wait(milliseconds(1)));
    CHECK(disk.queue.late());
    CHECK(disk.queue.released() == 2);
    CHECK(disk.add("c\n") == 3);
    CHECK(disk.queue.released() == 3);
    CHECK_FALSE(disk.queue.next_release());
    CHECK_FALSE(disk.wait(minutes(1)));  // it is told once
    SECTION("until it answers, and nothing else has waited as long") {
        disk.queue.settle();
        CHECK_FALSE(disk.queue.answered(disk.now));  // "b" has waited for a minute by now
        CHECK(disk.queue.late());
        CHECK(disk.write() == 0);
        CHECK_FALSE(disk.queue.late());
        CHECK(disk.queue.released() == 3);
    }
    SECTION("or nothing is written any more") {
        disk.queue.clear();
        CHECK(disk.queue.empty());
        CHECK(disk.queue.unwritten() == 0);
    }
}

TEST_CASE("a disk that is late again is told once a minute", "[journal]") {
    SlowDisk disk;
    disk.add("a\n");
    CHECK(disk.wait(seconds(2)));
    CHECK(disk.write() == 0);
    disk.add("b\n");
    CHECK_FALSE(disk.wait(seconds(59)));
    CHECK(disk.queue.late());
    CHECK_FALSE(disk.write());  // nor is its answer
    disk.add("c\n");
    CHECK(disk.wait(seconds(2)));
}

TEST_CASE("a program that ends waits for a moment, and says nothing of it", "[journal]") {
    SlowDisk disk;
    disk.add("a\n");
    disk.now += seconds(1);
    disk.queue.hurry(disk.now);
    CHECK(disk.queue.next_release() == disk.now + milliseconds(100));
    disk.now += milliseconds(50);
    disk.queue.hurry(disk.now);  // the first one counts
    CHECK_FALSE(disk.wait(milliseconds(49)));
    CHECK_FALSE(disk.queue.late());
    CHECK_FALSE(disk.wait(milliseconds(1)));
    CHECK(disk.queue.late());
    CHECK(disk.queue.released() == 1);
}

TEST_CASE("a file that is not open yet is not waited for", "[journal]") {
    SlowDisk disk;
    const bool told = GENERATE(true, false);
    disk.queue.begin_late(told);
    disk.add("a\n");
    CHECK(disk.queue.released() == 1);
    CHECK(disk.queue.answered(disk.now).has_value() == told);
    CHECK_FALSE(disk.queue.late());
    CHECK(disk.queue.released() == 0);
}

TEST_CASE("the queue has room for so many entries and so much text", "[journal]") {
    SlowDisk disk;
    const std::string line = GENERATE(std::string("a\n"), std::string(std::size_t{1} << 20, 'x'));
    const std::size_t most = std::min(JournalQueue::kMostEntries, JournalQueue::kMostText / line.size());
    for (std::size_t i = 1; i <= most; ++i) REQUIRE(disk.add(line) == i);
    CHECK(disk.add(line) == 0);
    CHECK(disk.add(line) == 0);
    CHECK(disk.queue.unwritten() == most + 2);
    CHECK(disk.wait(seconds(2)));
    std::optional<std::uint64_t> left_out;
    while (!disk.queue.empty()) left_out = disk.write();
    CHECK(left_out == 2);
    CHECK(disk.add(line) == most + 1);  // there is room again
    CHECK(disk.queue.unwritten() == 1);
}
