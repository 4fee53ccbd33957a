// Tests of `bench scan`: the list of known hits, and devices that miss or invent some.
#include <algorithm>
#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/run.hpp"
#include "bench/workloads/known_hits.hpp"
#include "bench/workloads/open_devices.hpp"
#include "cpu/isa.hpp"
#include "host/block/checker.hpp"
#include "tests/catch.hpp"
#include "verushash/algorithm.hpp"

using namespace gpuminer;

namespace {

enum class Kind { kHonest, kForgetful, kInventive, kFailing, kFailingLater };
std::atomic<Kind> kind = Kind::kHonest;
std::atomic<int> rounds_begun = 0;  ///< warm-up and both rows included
constexpr int kLateRound = 5;

/// Scans with the fastest CPU code there is; what it is told to do wrong it does in long scans only, so that it passes
/// the self-test.
class FakeDevice final : public Device {
public:
    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    [[nodiscard]] std::uint64_t batch() const override { return 1 << 20; }
    void scan(const ScanJob& any, NonceRange range, ScanResult& result) override {
        const auto& job = any.as<Sha256dJob>();
        constexpr std::uint64_t kLong = 1 << 11;  // the self-test's longest has 1,007 nonces
        const bool misbehaves = range.count >= kLong;
        if (misbehaves && kind == Kind::kFailing) throw DeviceError("the card fell off the bus");
        if (kind == Kind::kFailingLater && rounds_begun >= kLateRound) throw DeviceError("the card fell off the bus");
        std::vector<Candidate> found(Candidates::kCapacity);
        found.resize(std::min(cpu::scan(fastest(), job, range, found).found, found.size()));
        if (misbehaves && kind == Kind::kForgetful && !found.empty()) found.pop_back();
        if (misbehaves && kind == Kind::kInventive) found.push_back({0, range.first});
        for (const Candidate& candidate : found) result.candidates.push(candidate);
    }

private:
    static const cpu::Isa& fastest() {
        for (auto isa = cpu::isas().rbegin(); isa != cpu::isas().rend(); ++isa) {
            if (cpu::usable(*isa, cpu::detect_features())) return *isa;
        }
        return cpu::isas().front();
    }
    DeviceInfo info_{.name = "opencl:fake#0", .backend = "opencl", .model = "fake", .driver = "none"};
};

std::vector<Probe> probe(const DeviceOptions&) {
    Probe found;
    found.info = FakeDevice().info();
    return {found};
}
std::unique_ptr<Device> open(const Probe&, const DeviceOptions&) { return std::make_unique<FakeDevice>(); }
const Backend kFake{"opencl", probe, open};
const Backend* const kBackends[] = {&kFake};

bench::Document run_scan(Kind of_kind, double seconds = 0.3) {
    kind = of_kind;
    rounds_begun = -1;  // the first message is about the workload
    const bench::Options options{.seconds = seconds, .rounds = 2};
    const bench::RunActions actions{.progress = [](double, const std::string&) { ++rounds_begun; },
                                    .note = [](const std::string&) {},
                                    .warning = [](const std::string&) {},
                                    .finished = [](const auto&, const auto&, const auto&) {}};
    return bench::run(options, kBackends, {}, actions);
}

std::vector<bench::KnownHit> hits_by_openssl(bool rolled, NonceRange part) {
    std::vector<bench::KnownHit> hits;
    for (const std::uint32_t version : bench::known_versions(rolled)) {
        for (std::uint64_t i = 0; i < part.count; ++i) {
            const BlockHeader header =
                bench::known_job().with_version(version).with_nonce(static_cast<std::uint32_t>(part.first + i));
            if (double_sha256(header.bytes) <= bench::known_target()) hits.push_back({version, header.nonce()});
        }
    }
    return hits;
}

}  // namespace

TEST_CASE("known hits are those that OpenSSL finds") {
    // The whole lists take OpenSSL minutes (bench/tools/known_hits_generator.cpp); here is a part with the block itself
    // in it, and both ends of the ranges.
    constexpr std::uint64_t kCount = 1 << 14;
    for (const bool rolled : {false, true}) {
        const NonceRange all = bench::known_range(rolled);
        const std::uint64_t count = rolled ? kCount / 8 : kCount;
        const auto last = static_cast<std::uint32_t>(all.first + all.count - count);
        for (const std::uint32_t first : {all.first, bench::known_job().nonce() - 1000, last}) {
            CAPTURE(rolled, first);
            CHECK(bench::known_hits(rolled, {first, count}) == hits_by_openssl(rolled, {first, count}));
        }
    }
    const NonceRange block{bench::known_job().nonce(), 1};
    CHECK(bench::known_hits(false, block) ==
          std::vector<bench::KnownHit>{{bench::known_job().version(), bench::known_job().nonce()}});
}

TEST_CASE("each known hit is one") {
    for (const bool rolled : {false, true}) {
        const NonceRange range = bench::known_range(rolled);
        const std::vector<bench::KnownHit> hits = bench::known_hits(rolled, range);
        CHECK(std::ranges::is_sorted(hits));
        CHECK(std::ranges::adjacent_find(hits) == hits.end());
        // One in 2^20 of 2^32 hashes: 4096, with a standard deviation of 64.
        CHECK(hits.size() > 4096 - 5 * 64);
        CHECK(hits.size() < 4096 + 5 * 64);
        for (const bench::KnownHit& hit : hits) {
            const BlockHeader header = bench::known_job().with_version(hit.version).with_nonce(hit.nonce);
            REQUIRE(double_sha256(header.bytes) <= bench::known_target());
        }
    }
}

TEST_CASE("each known hit of VerusHash is one, and none is missing in a part") {
    const std::vector<bench::KnownSearch> searches = bench::known_searches(kVerusHash);
    REQUIRE(searches.size() == 1);
    const bench::KnownSearch& search = searches.front();
    CHECK(std::ranges::is_sorted(search.all_hits));
    // One in 2^20 of 2^26 hashes: 64, with a standard deviation of 8.
    CHECK(search.all_hits.size() > 64 - 5 * 8);
    CHECK(search.all_hits.size() < 64 + 5 * 8);
    const auto is_hit = [&](std::uint32_t nonce) {
        return kVerusHash.hash(search.header.with_nonce(nonce)) <= search.target;
    };
    for (const bench::KnownHit& hit : search.all_hits) {
        CHECK(hit.version == search.header.version());
        REQUIRE(is_hit(hit.nonce));
    }
    const std::uint32_t hit = search.header.nonce();
    CHECK(search.hits({hit - 50, 100}) == std::vector<bench::KnownHit>{{search.header.version(), hit}});
    for (std::uint32_t nonce = hit - 50; nonce < hit + 50; ++nonce) CHECK(is_hit(nonce) == (nonce == hit));
}

TEST_CASE("an honest device is measured, with every hit of every round compared") {
    const bench::Document document = run_scan(Kind::kHonest);
    CHECK(document.failures.empty());
    CHECK(document.ending == "finished");
    REQUIRE(document.measurements.size() == 2);
    for (const bench::Measurement& measurement : document.measurements) {
        CHECK(measurement.rounds.size() == 2);
        for (const double rate : measurement.values()) CHECK(rate > 0);
    }
    CHECK(document.job["scan"]["fixed"]["known_hits"] == 4102);
    REQUIRE(document.devices.size() == 1);
    CHECK(document.devices[0]["name"] == "opencl:fake#0");
}

TEST_CASE("a device that misses a hit, invents one or fails ends the run") {
    const auto [misbehaving, words] = GENERATE(std::pair{Kind::kForgetful, "missed nonce"},
                                               std::pair{Kind::kInventive, "wrong"}, std::pair{Kind::kFailing, "bus"});
    bench::Document document = run_scan(misbehaving);
    // One hash in a million is a hit: on a busy machine there may be none to be missed.
    for (double seconds = 1; document.ending == "finished" && seconds < 100; seconds *= 4)
        document = run_scan(misbehaving, seconds);
    CHECK(document.ending == "failed");
    REQUIRE(document.failures.size() == 1);
    CAPTURE(document.failures.front());
    CHECK(document.failures.front().find(words) != std::string::npos);
}

TEST_CASE("a device that fails later leaves the rounds that were complete") {
    const bench::Document document = run_scan(Kind::kFailingLater);
    CHECK(document.ending == "failed");
    REQUIRE(document.measurements.size() == 2);
    CHECK(document.measurements[0].rounds.size() + document.measurements[1].rounds.size() == 2);
    CHECK(document.measurements[0].details["hits_compared"] > 0);
}

TEST_CASE("a run that is stopped keeps its complete rounds") {
    kind = Kind::kHonest;
    std::stop_source stop;
    int rounds = 0;
    const bench::Options options{.seconds = 1000, .rounds = 5000};
    const bench::RunActions actions{.progress =
                                        [&](double, const std::string&) {
                                            if (++rounds == 8) stop.request_stop();
                                        },
                                    .note = [](const std::string&) {},
                                    .warning = [](const std::string&) {},
                                    .finished = [](const auto&, const auto&, const auto&) {}};
    const bench::Document document = bench::run(options, kBackends, stop.get_token(), actions);
    CHECK(document.ending == "interrupted");
    CHECK(document.failures.empty());
    REQUIRE(document.measurements.size() == 2);
    CHECK(!document.measurements.front().rounds.empty());
}
