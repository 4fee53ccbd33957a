// Tests of stopping and pausing a search from another thread.
#include "search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("stopping takes effect within half a second, and the first reason stays") {
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 0xffffffff);
    Behaviour busy;
    busy.hashing = false;
    busy.delay = 20ms;
    LoneSearch run(request, devices_of({busy, busy, busy}));
    auto result = std::async(std::launch::async, [&] { return run.run(); });
    while (run.progress().hashes_done == 0) std::this_thread::sleep_for(1ms);
    const auto before = std::chrono::steady_clock::now();
    run.stop(Ending::kLimit);
    run.stop(Ending::kInterrupted);
    const auto report = result.get();
    CHECK(std::chrono::steady_clock::now() - before < 10s);
    CHECK(report.ending == Ending::kLimit);
    CHECK(report.hits.empty());
    CHECK(report.hashes > 0);
    CHECK(report.seconds > 0);
}

TEST_CASE("stopping takes effect soon with a batch far too large and an easy target, too") {
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 0xffffffff);
    request.target = target_with_top(0xffffffff);
    LoneSearch run(request, devices_of({batches_of(std::uint64_t{1} << 32)}));
    auto result = std::async(std::launch::async, [&] { return run.run(); });
    std::this_thread::sleep_for(700ms);  // time for the batches to grow
    const auto before = std::chrono::steady_clock::now();
    run.stop(Ending::kInterrupted);
    CHECK(result.get().ending == Ending::kInterrupted);
    CHECK(std::chrono::steady_clock::now() - before < 10s);  // half a second on an idle machine
}

TEST_CASE("no unit takes much longer than a quarter of a second, whatever batch the device asks for") {
    constexpr auto kPerNonce = 50us;
    std::uint64_t largest = 0;
    Behaviour slow = batches_of(std::uint64_t{1} << 32);
    slow.hashing = false;
    slow.tamper = [&](const Sha256dJob&, NonceRange range, ScanResult&) {
        largest = std::max(largest, range.count);
        std::this_thread::sleep_for(range.count * kPerNonce);
    };
    const auto report = search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 14'999), {slow});
    CHECK(report.ending == Ending::kFinished);
    CHECK(largest * kPerNonce <= 250ms);
}

TEST_CASE("units do not shrink to nothing where each scan takes long whatever its size") {
    Behaviour slow = batches_of(std::uint64_t{1} << 32);
    slow.hashing = false;
    slow.delay = 60ms;
    std::atomic<unsigned> scans = 0;
    slow.scans = &scans;
    const auto report = search(request_of(PartitionMode::kStatic, Goal::kAll, 0, 39'999), {slow});
    CHECK(report.ending == Ending::kFinished);
    CHECK(scans <= 12);
}

TEST_CASE("stopping before the start, and after the end, is harmless") {
    const SearchRequest request = request_of(PartitionMode::kStatic, Goal::kAll, 0, 999);
    LoneSearch early(request, devices_of({Behaviour{}}));
    early.stop(Ending::kInterrupted);
    CHECK(early.run().ending == Ending::kInterrupted);

    LoneSearch late(request, devices_of({Behaviour{}}));
    CHECK(late.run().ending == Ending::kFinished);
    late.stop(Ending::kInterrupted);
}

TEST_CASE("a paused search does nothing, goes on afterwards, and can be stopped") {
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 19'999);
    Coverage coverage(request.start, request.end, versions_of(request));
    Behaviour behaviour = counting(coverage);
    behaviour.delay = 1ms;
    LoneSearch run(request, devices_of({behaviour, behaviour}));
    run.set_paused(true);
    auto result = std::async(std::launch::async, [&] { return run.run(); });
    std::this_thread::sleep_for(50ms);
    CHECK(run.progress().hashes_done == 0);
    CHECK(run.progress().paused);
    SECTION("goes on") {
        run.set_paused(false);
        while (run.progress().hashes_done == 0) std::this_thread::sleep_for(1ms);
        run.set_paused(true);
        const auto most = run.progress().hashes_done + 2 * behaviour.batch;  // the units in flight end
        std::this_thread::sleep_for(50ms);
        CHECK(run.progress().hashes_done <= most);
        CHECK(result.wait_for(0s) == std::future_status::timeout);
        run.set_paused(false);
        CHECK(result.get().ending == Ending::kFinished);
        CHECK(coverage.exactly_once());
    }
    SECTION("is stopped") {
        run.stop(Ending::kInterrupted);
        CHECK(result.get().ending == Ending::kInterrupted);
    }
}
