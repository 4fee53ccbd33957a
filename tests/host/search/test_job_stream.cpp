// Tests of one search that mines jobs as they come.
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "host/search/job_stream.hpp"
#include "search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

const Hash256 kEasy = target_with_top(0x00ffffff);

}  // namespace

TEST_CASE("a stream finds the hits of its job, each once, with the whole header") {
    const auto job = std::make_shared<NumberedJob>(std::uint8_t{1}, kEasy, kMask);
    const Event enough;
    std::mutex mutex;
    std::vector<JobHit> found;
    Fleet fleet(devices_of({batches_of(500), batches_of(700)}));
    MiningSearch search(
        [&](const JobHit& hit) {
            const std::lock_guard lock(mutex);
            found.push_back(hit);
            if (found.size() == 100) enough.happen();
        },
        fleet);
    search.set_job(job);
    Background result([&] { return search.run(); });
    enough.wait();
    search.stop(Ending::kFinished);
    const SearchReport report = result.get();
    CHECK(report.ending == Ending::kFinished);
    CHECK(report.hits.empty());
    std::set<std::string> headers;
    std::set<std::uint32_t> versions;
    for (const JobHit& one : found) {
        CHECK(one.job == job);
        CHECK(double_sha256(one.hit.header.bytes) == one.hit.hash);
        CHECK(one.hit.hash <= kEasy);
        CHECK(job->header(one.index).with_version(one.hit.version).with_nonce(one.hit.nonce) == one.hit.header);
        CHECK((one.hit.version & ~kMask) == genesis().version());
        CHECK(headers.insert(one.hit.header.hex()).second);
        versions.insert(one.hit.version);
    }
    CHECK(versions.size() == 8);
}

TEST_CASE("a job that ends with its first hit is reported once, and the next one is searched") {
    constexpr unsigned kJobs = 50;
    std::atomic<unsigned> found = 0, last = 0;
    Fleet fleet(devices_of(std::vector<Behaviour>(3, batches_of(1u << 20))));
    MiningSearch search(
        [&](const JobHit& hit) {
            last = hit.hit.header.bytes[4];  // of the job
            ++found;
        },
        fleet);
    Background result([&] { return search.run(); });
    for (std::uint8_t number = 0; number < kJobs; ++number) {
        search.set_job(std::make_shared<NumberedJob>(number, target_with_top(0x7fffffff), 0, true));
        wait_until([&] { return found > number; });
        CHECK(last == number);
    }
    search.stop(Ending::kFinished);
    CHECK(result.get().ending == Ending::kFinished);
    CHECK(found == kJobs);
}

TEST_CASE("a header that is used up is followed by the next one") {
    Behaviour fast = batches_of(std::uint64_t{1} << 31);
    fast.hashing = false;
    const Event enough;
    std::mutex mutex;
    std::map<std::uint32_t, std::uint64_t> nonces;  // by the midstate's first word: one for each header
    fast.tamper = [&](const Sha256dJob& job, NonceRange range, ScanResult&) {
        const std::lock_guard lock(mutex);
        nonces[job.midstates()[0][0]] += range.count;
        if (nonces.size() >= 4) enough.happen();
    };
    Fleet fleet(devices_of({fast, fast}));
    MiningSearch search([](const JobHit&) {}, fleet);
    search.set_job(std::make_shared<NumberedJob>(std::uint8_t{1}));
    Background result([&] { return search.run(); });
    enough.wait();
    search.stop(Ending::kFinished);
    (void)result.get();
    unsigned whole = 0;
    for (const auto& [header, count] : nonces) {
        CHECK(count <= std::uint64_t{1} << 32);
        if (count == std::uint64_t{1} << 32) ++whole;
    }
    CHECK(whole >= 2);
}
