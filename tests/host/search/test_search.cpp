// Tests of whole searches with fake devices, compared with the checker's hits, nonce by nonce.
#include "search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

TEST_CASE("any number of devices finds every hit and hashes every pair once") {
    for (const PartitionMode mode : kModes) {
        for (const std::size_t workers : {1, 3, 16}) {
            for (const std::uint32_t mask : {0u, kWideMask}) {
                SearchRequest request = request_of(mode, Goal::kAll, 0xffffffff - 2999, 0xffffffff);
                request.version_mask = mask;
                Coverage coverage(request.start, request.end, versions_of(request));
                const auto report = search(request, std::vector<Behaviour>(workers, counting(coverage)));
                INFO("workers " << workers << ", mask " << mask);
                CHECK(report.ending == Ending::kFinished);
                CHECK(keys_of(report) == oracle(request));
                CHECK_FALSE(report.truncated);
                CHECK(coverage.exactly_once());
                CHECK(report.hashes == 3000 * versions_of(request).size());
                CHECK(report.rejected_candidates == 0);
                CHECK(report.devices.size() == workers);
            }
        }
    }
}

TEST_CASE("the genesis block is found with its own target") {
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kFirst, 2083236893 - 3000, 2083236893 + 3000);
    request.target = target_from_nbits(request.header.nbits());
    const auto report = search(request, std::vector<Behaviour>(3));
    CHECK(report.ending == Ending::kFinished);
    REQUIRE(report.hits.size() == 1);
    CHECK(report.hits[0].nonce == 2083236893);
    CHECK(report.hits[0].header == genesis());
    CHECK(report.hits[0].hash.hex() == "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
}

TEST_CASE("a hash equal to the target is a hit, and a near miss is neither a hit nor wrong") {
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, 2083236893 - 20, 2083236893 + 20);
    request.target = double_sha256(genesis().bytes);
    CHECK(search(request, std::vector<Behaviour>(2)).hits.size() == 1);
    for (std::size_t i = 31;; --i) {  // one below: the top word stays the same
        if (request.target.bytes[i]-- != 0) break;
    }
    const auto report = search(request, std::vector<Behaviour>(2));
    CHECK(report.hits.empty());
    CHECK(report.ending == Ending::kFinished);
    CHECK(report.rejected_candidates == 0);
}

TEST_CASE("the first hit stops all devices, and one hit is reported even where a unit has many") {
    for (const PartitionMode mode : kModes) {
        SearchRequest request = request_of(mode, Goal::kFirst, 0, 0xffffffff);
        for (const std::uint32_t mask : {0u, kMask}) {
            request.version_mask = mask;
            const auto report = search(request, std::vector<Behaviour>(4));
            CHECK(report.ending == Ending::kFinished);
            REQUIRE(keys_of(report).size() == 1);
            CHECK(report.hits[0].hash <= request.target);
            CHECK(report.hashes < 1'000'000);
        }
    }
    // One worker: the lowest hit of the first unit (4,096 hashes).
    const SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kFirst, 0, 0xffffffff);
    const auto report = search(request, {batches_of(1 << 30)});
    CHECK(report.hashes == 4096);
    CHECK(keys_of(report) == std::vector<Key>{oracle(request_of(request.partition, request.goal, 0, 4095)).front()});
}

TEST_CASE("the lowest hit is the same for any number of devices") {
    for (const PartitionMode mode : kModes) {
        for (const std::uint32_t mask : {0u, kMask}) {
            for (const std::size_t workers : {1, 7}) {
                SearchRequest request = request_of(mode, Goal::kLowest, 0, 9'999);
                request.version_mask = mask;
                request.target = target_with_top(0x000fffff);  // about two hits per version
                const auto expected = oracle(request).front();
                std::vector<Behaviour> behaviours(workers);
                for (Behaviour& behaviour : behaviours) behaviour.batch = 100;
                behaviours.front().delay = 200us;
                const auto report = search(request, behaviours);
                CHECK(report.ending == Ending::kFinished);
                CHECK(keys_of(report) == std::vector<Key>{expected});
            }
        }
    }
}

TEST_CASE("the lowest hit ends the search without the rest of the space") {
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kLowest, 0, 0xffffffff);
    request.version_mask = 0x1fffe000;
    const auto report = search(request, std::vector<Behaviour>(4));
    CHECK(report.ending == Ending::kFinished);
    CHECK(report.hits.size() == 1);
    CHECK(report.hashes < 100'000);

    // The versions go one by one: nothing of the next one is searched before the lowest is known.
    request = request_of(PartitionMode::kDynamic, Goal::kLowest, 0, 9'999);
    request.version_mask = kMask;
    request.target = target_with_top(0x000fffff);
    const auto alone = search(request, {batches_of(100)});
    REQUIRE(alone.hits.size() == 1);
    CHECK(alone.hashes == (alone.hits[0].nonce / 100 + 1) * 100);
}

TEST_CASE("all hits are cut to the lowest ones, and only then said to be cut") {
    for (const PartitionMode mode : kModes) {
        for (const std::uint32_t mask : {0u, kWideMask}) {
            SearchRequest request = request_of(mode, Goal::kAll, 1000, 3999);
            request.version_mask = mask;
            const auto all = oracle(request);
            for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, all.size() - 1,
                                              all.size(), all.size() + 1, ~std::uint64_t{0}}) {
                request.max_results = limit;
                const auto report = search(request, std::vector<Behaviour>(3, batches_of(300)));
                const auto kept = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(limit, all.size()));
                INFO("limit " << limit << " of " << all.size());
                CHECK(keys_of(report) == std::vector<Key>(all.begin(), all.begin() + kept));
                CHECK(report.truncated == (limit < all.size()));
                CHECK(report.ending == Ending::kFinished);
            }
        }
    }
}

TEST_CASE("more candidates than fit into one result are searched in halves") {
    SearchRequest request = request_of(PartitionMode::kStatic, Goal::kAll, 100, 100 + 199'999);
    request.target = target_with_top(0xffffffff);
    for (std::size_t i = 4; i < 32; ++i) request.target.bytes[i] = 0xff;
    Coverage coverage(request.start, request.end, versions_of(request));
    const auto report = search(request, std::vector<Behaviour>(1, counting(coverage, 1 << 20)));
    CHECK(report.ending == Ending::kFinished);
    CHECK(report.hits.size() == 200'000);
    CHECK(report.hits.front().nonce == 100);
    CHECK(report.hits.back().nonce == 100 + 199'999);
    CHECK(report.hashes == 200'000);
    CHECK(coverage.exactly_once());
}

TEST_CASE("progress and the report add up") {
    SearchRequest request = request_of(PartitionMode::kStatic, Goal::kAll, 10, 3'009);
    request.version_mask = kMask;
    LoneSearch run(request, devices_of(std::vector<Behaviour>(3)));
    CHECK(run.progress().hashes_done == 0);
    CHECK(run.progress().hashes_total == 24'000);
    CHECK(run.progress().seconds == 0);
    const auto report = run.run();
    CHECK(run.progress().hashes_done == 24'000);
    CHECK(run.progress().seconds == report.seconds);
    CHECK(report.hashes == 24'000);
    std::uint32_t next = 10;
    for (const DeviceReport& device : report.devices) {
        CHECK(device.start == next);
        CHECK(device.end == next + 999);
        CHECK(device.hashes == 8'000);
        CHECK(device.seconds > 0);
        CHECK(device.seconds <= report.seconds);
        CHECK(device.cycles.hashes == 8'000);
        CHECK(device.cycles.avg_per_hash() == Approx(10));
        next += 1000;
    }

    request.version_mask = 0xffffffff;
    request.start = 0;
    request.end = 0xffffffff;
    CHECK(LoneSearch(request, devices_of({Behaviour{}})).progress().hashes_total == ~std::uint64_t{0});
}

TEST_CASE("a search without sense is refused") {
    CHECK_THROWS_AS(LoneSearch(request_of(PartitionMode::kStatic, Goal::kAll, 5, 4), devices_of({Behaviour{}})),
                    InputError);
    CHECK_THROWS_AS(LoneSearch(request_of(PartitionMode::kStatic, Goal::kAll, 4, 5), Devices{}), NoDeviceError);
}

TEST_CASE("the best hash is that of all candidates, whether one meets the target or not") {
    constexpr std::uint32_t kSolution = 0x7c2bac1d;
    SearchRequest request = request_of(PartitionMode::kDynamic, Goal::kAll, kSolution - 50, kSolution + 50);
    request.target = {};
    request.target.bytes[31] = 1;
    const SearchReport report = LoneSearch(request, devices_of({Behaviour{}})).run();
    CHECK(report.hits.empty());
    REQUIRE(report.best);
    CHECK(report.best->hex() == "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");

    request = request_of(PartitionMode::kDynamic, Goal::kAll, 0, 2'000);
    const SearchReport easier = LoneSearch(request, devices_of({Behaviour{}})).run();
    REQUIRE_FALSE(easier.hits.empty());
    CHECK(easier.best == std::ranges::min_element(easier.hits, {}, &Hit::hash)->hash);

    request.target = {};  // as that of a warm-up, whose hashes nobody could use
    request.start = kSolution - 50;
    request.end = kSolution + 50;
    CHECK_FALSE(LoneSearch(request, devices_of({Behaviour{}})).run().best);
}
