// Mutex, MutexLock and Condition: waiting, stopping, and a lock that is released in between.
#include <chrono>
#include <stop_token>
#include <thread>

#include "host/mutex.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

namespace {

struct Counter {
    Mutex mutex;
    Condition changed;
    int value GPUMINER_GUARDED_BY(mutex) = 0;

    void add(int summand) {
        const MutexLock lock(mutex);
        value += summand;
        changed.notify_all();
    }
};

}  // namespace

TEST_CASE("a wait ends when another thread makes its predicate true") {
    Counter counter;
    const std::jthread other([&] { counter.add(7); });
    const MutexLock lock(counter.mutex);
    const auto is_there = [&]() GPUMINER_REQUIRES(counter.mutex) { return counter.value == 7; };
    SECTION("without a limit") {
        counter.changed.wait(counter.mutex, is_there);
        CHECK(counter.value == 7);
    }
    SECTION("with a stop token") { CHECK(counter.changed.wait(counter.mutex, std::stop_token(), is_there)); }
    SECTION("with limits") {
        CHECK(counter.changed.wait_for(counter.mutex, std::chrono::hours(1), is_there));
        CHECK(counter.changed.wait_until(counter.mutex, std::chrono::steady_clock::now(), is_there));
    }
}

TEST_CASE("a stop ends a wait, which says that its predicate is false") {
    Counter counter;
    const auto never = [] { return false; };
    std::stop_source stop;
    const std::jthread other([&] { stop.request_stop(); });
    const MutexLock lock(counter.mutex);
    SECTION("without a limit") { CHECK_FALSE(counter.changed.wait(counter.mutex, stop.get_token(), never)); }
    SECTION("with a duration") {
        CHECK_FALSE(counter.changed.wait_for(counter.mutex, stop.get_token(), std::chrono::hours(1), never));
    }
    SECTION("with a moment") {
        const auto tomorrow = std::chrono::steady_clock::now() + std::chrono::hours(24);
        CHECK_FALSE(counter.changed.wait_until(counter.mutex, stop.get_token(), tomorrow, never));
    }
}

TEST_CASE("a lock can be released and taken again") {
    Counter counter;
    MutexLock lock(counter.mutex);
    counter.value = 1;
    lock.unlock();
    std::thread([&] { counter.add(1); }).join();  // would not end if the mutex were held
    lock.lock();
    CHECK(counter.value == 2);
}
