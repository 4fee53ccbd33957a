// Tests of AbandonableThread: one that ends is joined, one that hangs is left behind, and the process knows it.
#include <chrono>
#include <future>
#include <memory>
#include <stop_token>

#include "host/abandonable_thread.hpp"
#include "host/mutex.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;
using std::chrono::hours;
using std::chrono::milliseconds;

namespace {

/// What a thread uses: it waits for its stop, or for a driver that hangs.
struct Work {
    Mutex mutex;
    Condition changed;
    std::promise<void> driver;
    std::promise<void> done;

    void until_stopped(const std::stop_token& stop) {
        const MutexLock lock(mutex);
        changed.wait(mutex, stop, [] { return false; });
        done.set_value();
    }
    void until_the_driver_returns() {
        driver.get_future().wait();
        done.set_value();
    }
};

bool is_ready(const std::future<void>& future) { return future.wait_for(milliseconds(0)) == std::future_status::ready; }

}  // namespace

TEST_CASE("a thread that ends is joined") {
    detail::thread_abandoned = false;
    const auto work = std::make_shared<Work>();
    const std::future<void> done = work->done.get_future();
    SECTION("when it is asked to stop") {
        AbandonableThread thread([work](const std::stop_token& stop) { work->until_stopped(stop); });
        CHECK(thread.joinable());
        CHECK(thread.finish(hours(1)));
        CHECK_FALSE(thread.joinable());
    }
    SECTION("when it ends by itself") {
        AbandonableThread thread([work] { work->until_the_driver_returns(); });
        work->driver.set_value();
        CHECK(thread.finish(hours(1)));
    }
    SECTION("when its owner has waited for it") {
        AbandonableThread thread([work] { work->until_the_driver_returns(); });
        work->driver.set_value();
        thread.end(true);
        CHECK_FALSE(thread.joinable());
    }
    CHECK(is_ready(done));
    CHECK(work.use_count() == 1);
    CHECK_FALSE(any_abandoned_threads());
}

TEST_CASE("a thread that hangs is abandoned, with what it uses, and the process knows it") {
    detail::thread_abandoned = false;
    auto work = std::make_shared<Work>();
    const std::weak_ptr<Work> used = work;
    const std::future<void> done = work->done.get_future();
    {
        AbandonableThread thread([work] { work->until_the_driver_returns(); });
        SECTION("once it was waited for long enough") { CHECK_FALSE(thread.finish(milliseconds(1))); }
        SECTION("at once where its owner says so") { thread.end(false); }
        CHECK_FALSE(thread.joinable());
        CHECK(thread.finish(hours(1)));  // there is none any more
    }
    CHECK(any_abandoned_threads());
    CHECK_FALSE(is_ready(done));
    work.reset();
    const auto kept = used.lock();
    REQUIRE(kept);
    kept->driver.set_value();
    CHECK(done.wait_for(hours(1)) == std::future_status::ready);
}

TEST_CASE("where no thread was started, none is waited for") {
    detail::thread_abandoned = false;
    AbandonableThread thread;
    CHECK(thread.finish(hours(1)));
    thread.end(false);
    CHECK_FALSE(any_abandoned_threads());
}
