// Tests of searches that go on from the record of another one. Nothing that is recorded is hashed again, and nothing is
// missed, whatever the goals, partitions and devices of the two.
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>

#include "host/search/interval_set.hpp"
#include "host/search/request_source.hpp"
#include "search_tools.hpp"

using namespace gpuminer;
using namespace gpuminer::test;

namespace {

constexpr Goal kGoals[] = {Goal::kFirst, Goal::kLowest, Goal::kAll};

IntervalSet set_of(const std::vector<bool>& members) {
    IntervalSet set;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i]) set.add({i, i + 1});
    }
    return set;
}

/// A search whose record is looked at, of fake devices.
struct RecordedSearch {
    RecordedSearch(const SearchRequest& request, const SearchRecord& earlier, Devices devices)
        : source(std::make_shared<RequestSource>(request, earlier)), fleet(std::move(devices)), search(source, fleet) {}

    std::shared_ptr<RequestSource> source;
    Fleet fleet;
    Search search;
};

/// Stopped after about so many scans of all devices together.
struct Run {
    SearchReport report;
    SearchRecord record;    ///< at the end
    SearchRecord somewhen;  ///< in between: what a kill would have left
};
Run run_until(unsigned scans, const SearchRequest& request, const SearchRecord& earlier, std::size_t devices,
              Coverage* coverage) {
    std::atomic<unsigned> left = scans;
    RecordedSearch* running = nullptr;
    Run result;
    std::mutex mutex;
    Behaviour behaviour = batches_of(700);
    behaviour.coverage = coverage;
    behaviour.before_scan = [&](unsigned) {
        const unsigned before = left.fetch_sub(1);
        if (before == scans / 2 + 1) {
            const std::lock_guard lock(mutex);
            result.somewhen = running->source->record();
        }
        if (before == 1) running->search.stop(Ending::kInterrupted);
    };
    RecordedSearch search(request, earlier, devices_of(std::vector<Behaviour>(devices, behaviour)));
    running = &search;
    result.report = search.search.run();
    result.record = search.source->record();
    return result;
}

/// The pairs of a request's space that a record has as done.
std::set<Key> done_pairs(const SearchRequest& request, const SearchRecord& record) {
    const VersionSpace space(request.header.version(), request.version_mask, record.group_size);
    const std::uint64_t nonces = std::uint64_t{request.end} - request.start + 1;
    std::set<Key> pairs;
    for (const auto& [first, end] : record.done.intervals()) {
        for (std::uint64_t position = first; position < end; ++position) {
            for (const std::uint32_t version : space.group(position / nonces))
                pairs.emplace(version, static_cast<std::uint32_t>(request.start + position % nonces));
        }
    }
    return pairs;
}

SearchRequest request_of_16_versions(PartitionMode mode, Goal goal) {
    SearchRequest request = request_of(mode, goal, 1000, 3999);
    request.version_mask = kWideMask;
    return request;
}

SearchRecord finished_record(const SearchRequest& request, const SearchRecord& earlier = {}) {
    return run_until(1'000'000, request, earlier, 2, nullptr).record;
}

}  // namespace

TEST_CASE("an interval set is the set of its positions") {
    std::mt19937 random(19);
    for (int round = 0; round < 200; ++round) {
        constexpr std::size_t kPositions = 60;
        std::vector<bool> members(kPositions);
        IntervalSet set;
        for (int step = 0; step < 30; ++step) {
            const std::uint64_t first = random() % kPositions, end = first + random() % (kPositions - first + 1);
            const bool adds = random() % 3 != 0;
            adds ? set.add({first, end}) : set.remove({first, end});
            for (std::uint64_t i = first; i < end; ++i) members[i] = adds;
            CHECK(set == set_of(members));
            CHECK(set.size() == static_cast<std::uint64_t>(std::ranges::count(members, true)));
        }
        for (std::uint64_t i = 0; i < kPositions; ++i) {
            CHECK(set.end_at(i).has_value() == members[i]);
            if (const auto end = set.end_at(i)) CHECK((*end > i && (*end == kPositions || !members[*end])));
            const auto above = set.first_above(i);
            for (std::uint64_t k = i + 1; k < above.value_or(kPositions); ++k) CHECK((!members[k] || members[k - 1]));
            if (above) CHECK((members[*above] && !members[*above - 1]));
        }
    }
}

TEST_CASE("an interrupted search goes on where it was, with any number of devices") {
    std::mt19937 random(21);
    for (int round = 0; round < 12; ++round) {
        const SearchRequest first = request_of_16_versions(kModes[round % 2], Goal::kAll);
        Coverage coverage(first.start, first.end, versions_of(first));
        SearchRecord record;
        SearchReport report;
        int runs = 0;
        std::uint64_t again =
            0;  // scanned, and not recorded: a stop does not wait for candidates that take long to check
        do {
            SearchRequest request = first;
            request.partition = kModes[random() % 2];
            const Run run = run_until(1 + random() % 12, request, record, 1 + random() % 4, &coverage);
            const std::uint64_t recorded = run.record.done.size() * run.record.group_size;
            CHECK(run.report.hashes + run.report.hashes_before >= recorded);
            again += run.report.hashes + run.report.hashes_before - recorded;
            record = run.record;
            report = run.report;
            ++runs;
        } while (report.ending != Ending::kFinished);
        CHECK(runs > 1);
        CHECK(keys_of(report) == oracle(first));
        CHECK(coverage.all_within(1, static_cast<unsigned>(runs)));
        CHECK(coverage.total() == 16 * 3000 + again);
    }
}

TEST_CASE("what a kill leaves is enough to go on from") {
    std::mt19937 random(22);
    for (int round = 0; round < 24; ++round) {
        const SearchRequest killed = request_of_16_versions(kModes[round % 2], kGoals[round % 3]);
        SearchRequest resumed = killed;
        resumed.goal = Goal::kAll;
        const SearchRecord record = run_until(2 + random() % 20, killed, {}, 1 + random() % 3, nullptr).somewhen;
        Coverage coverage(killed.start, killed.end, versions_of(killed));
        const Run run = run_until(1'000'000, resumed, record, 1 + random() % 3, &coverage);
        CHECK(run.report.ending == Ending::kFinished);
        CHECK(keys_of(run.report) == oracle(resumed));
        CHECK(coverage.all_within(0, 1));
        const std::uint64_t all = 16 * 3000;
        if (record.group_size != 0) CHECK(run.report.hashes == all - done_pairs(killed, record).size());
    }
}

TEST_CASE("each goal can go on from any other") {
    for (const Goal before : kGoals) {
        const SearchRequest earlier = request_of_16_versions(PartitionMode::kDynamic, before);
        const SearchRecord record = finished_record(earlier);
        const auto wanted = oracle(earlier);
        for (const Goal after : kGoals) {
            const SearchRequest later = request_of_16_versions(PartitionMode::kStatic, after);
            const Run run = run_until(1'000'000, later, record, 2, nullptr);
            CHECK(run.report.ending == Ending::kFinished);
            const auto keys = keys_of(run.report);
            if (after == Goal::kAll) CHECK(keys == wanted);
            if (after == Goal::kLowest) CHECK(keys == std::vector<Key>{wanted.front()});
            if (after == Goal::kFirst) CHECK(keys == std::vector<Key>{{record.hits[0].version, record.hits[0].nonce}});
        }
    }
}

TEST_CASE("hits that --max-results dropped are found again with a larger number") {
    SearchRequest few = request_of_16_versions(PartitionMode::kStatic, Goal::kAll);
    few.max_results = 3;
    const SearchRecord record = finished_record(few);
    const SearchReport cut = run_until(1'000'000, few, record, 1, nullptr).report;
    CHECK(cut.truncated);
    CHECK(cut.hashes == 0);
    SearchRequest many = few;
    many.max_results = 1'000'000;
    CHECK(keys_of(run_until(1'000'000, many, record, 3, nullptr).report) == oracle(many));
}

TEST_CASE("a finished search is over before it begins") {
    for (const Goal goal : kGoals) {
        const SearchRequest request = request_of_16_versions(PartitionMode::kDynamic, goal);
        const SearchRecord record = finished_record(request);
        RequestSource source(request, record);
        CHECK(source.finished());
        CHECK(source.hashes_before() == done_pairs(request, record).size());
        CHECK(source.record() == record);
        CHECK_FALSE(RequestSource(request, SearchRecord{}).finished());
    }
}

TEST_CASE("a record of another search is refused") {
    const SearchRequest request = request_of_16_versions(PartitionMode::kDynamic, Goal::kAll);
    SearchRecord record = finished_record(request);
    record.hits.push_back({request.header.version(), oracle(request).front().second + 1});
    CHECK_THROWS_AS(RequestSource(request, record), InputError);
    record.hits.back() = {0x20000000, 1000};  // no version of the space
    CHECK_THROWS_AS(RequestSource(request, record), InputError);
    record.hits.clear();
    CHECK_NOTHROW(RequestSource(request, record));
    record.done.add({2 * 3000, 2 * 3000 + 1});
    CHECK_THROWS_AS(RequestSource(request, record), InputError);
}
