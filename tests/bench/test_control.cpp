// Tests of the workloads that are about control: latency, scheduler, pseudo-miner.
#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <random>
#include <stop_token>
#include <thread>

#include "bench/workloads/interruptions.hpp"
#include "bench/workloads/open_devices.hpp"
#include "bench/workloads/pseudo_miner.hpp"
#include "bench/workloads/workload.hpp"
#include "cpu/backend.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "cpu/machine/cycle_counter_text.hpp"
#include "tests/host/search/search_tools.hpp"

namespace gpuminer::bench {

Rows prepare_latency(const Setting& setting);
Rows prepare_scheduler(const Setting& setting);
Rows prepare_pseudo_miner(const Setting& setting);

namespace {

using namespace std::chrono_literals;

BlockHeader block_of_name(std::string_view name) {
    const auto block = std::ranges::find(embedded_blocks(), name, &EmbeddedBlock::name);
    REQUIRE(block != embedded_blocks().end());
    return parse_header_hex(block->header_hex).header;
}

/// Right for the block of the self-tests, and finds nothing in any other.
class BlindDevice final : public test::FakeDevice {
public:
    BlindDevice() : FakeDevice("blind#0", block_of_name("100000"), test::Behaviour{}), known_(tail_of("100000")) {}
    void scan(const ScanJob& any, NonceRange range, ScanResult& result) override {
        const auto& job = any.as<Sha256dJob>();
        test::FakeDevice::scan(job, range, result);
        if (job.tail() != known_) result.candidates.clear();
    }

private:
    static std::array<std::uint32_t, 3> tail_of(std::string_view name) {
        return Sha256dJob(block_of_name(name).bytes, std::array{1U}, 0).tail();
    }
    const std::array<std::uint32_t, 3> known_;
};

std::vector<Probe> probe_blind(const DeviceOptions& /*options*/) {
    Probe probe;
    probe.info.name = "blind#0";
    probe.info.backend = "cuda";
    return {probe};
}
std::unique_ptr<Device> open_blind(const Probe& /*probe*/, const DeviceOptions& /*options*/) {
    return std::make_unique<BlindDevice>();
}
constexpr Backend kBlindBackend{"cuda", probe_blind, open_blind};

constexpr std::array<const Backend*, 1> kCpu{&kCpuBackend};
constexpr std::array<const Backend*, 1> kBlind{&kBlindBackend};

/// What a workload needs.
struct Bench {
    explicit Bench(Backends backends = kCpu) : open_devices(backends, options.devices, [](const std::string&) {}) {}
    static Options two_threads() {
        Options options;
        options.devices.options.threads = 2;
        options.devices.options.isa = "scalar";
        return options;
    }

    Options options = two_threads();
    std::stop_source stop;
    OpenDevices open_devices;
    std::vector<std::string> notes;
    Setting setting{options, stop.get_token(), open_devices,
                    [this](const std::string& sentence) { notes.push_back(sentence); }};
};

std::vector<std::string> names_of(const Rows& rows) {
    std::vector<std::string> names;
    for (const Row& row : rows.rows) names.push_back(row.name);
    return names;
}

// ----- latency -----

TEST_CASE("latency measures each subject's new jobs and stops") {
    Bench bench;
    const Rows rows = prepare_latency(bench.setting);
    CHECK(names_of(rows) == std::vector<std::string>{"cpu:scalar#0 new job", "cpu:scalar#0 stop",
                                                     "2 CPU threads new job", "2 CPU threads new job, last device",
                                                     "2 CPU threads stop"});
    for (const Row& row : rows.rows) {
        CHECK(row.better == Better::kLower);
        CHECK(row.unit == (row.name.ends_with("stop") ? "ms per stop" : "ms per new job"));
        for (int round = 0; round < 2; ++round) {
            const double value = row.measure(0.01);
            CHECK(value > 0);
            CHECK(value < 30'000);
        }
    }
}

TEST_CASE("latency fails where a new job's solution is missed") {
    Bench bench(kBlind);
    const Rows rows = prepare_latency(bench.setting);
    REQUIRE(rows.rows.size() == 2);
    CHECK_THROWS_AS(rows.rows.front().measure(0.01), VerificationError);
}

TEST_CASE("the user ends a latency measurement") {
    Bench bench;
    const Rows rows = prepare_latency(bench.setting);
    const auto ending = std::async(std::launch::async, [&bench] {
        std::this_thread::sleep_for(100ms);
        bench.stop.request_stop();
    });
    const auto measure_on = [&rows] {
        for (;;) (void)rows.rows.back().measure(0.01);
    };
    CHECK_THROWS_AS(measure_on(), Interrupted);
}

// ----- scheduler -----

TEST_CASE("the scheduler's fake devices search at the rate that they state, or less") {
    Bench bench;
    const Rows rows = prepare_scheduler(bench.setting);
    CHECK(bench.notes.empty());
    CHECK(names_of(rows) == std::vector<std::string>{"1 device of 100 GH/s", "10 devices of 100 GH/s",
                                                     "100 devices of 100 GH/s", "1000 devices of 100 GH/s",
                                                     "1 device of 10 TH/s"});
    const std::vector<double> devices{1, 10, 100, 1000, 1}, rates{1e11, 1e12, 1e13, 1e14, 1e13};
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
        INFO(rows.rows[i].name);
        CHECK(rows.rows[i].measure(0.05) > 0);
        CHECK(rows.rows[i].measure(0.2) > 0);  // the first one is a warm-up
        const Json details = rows.rows[i].details();
        CHECK(details["devices"] == devices[i]);
        CHECK(details["hashes_per_second"] == rates[i]);
        CHECK(details["batches_per_second"] > 0);
        CHECK(details["share_of_one_core"] > 0);
        CHECK(details["share_of_stated_rate"] > 0);
        CHECK(details["share_of_stated_rate"] <= 1);
    }
    CHECK_FALSE(bench.open_devices.opened());
}

TEST_CASE("the user ends a scheduler measurement") {
    Bench bench;
    const Rows rows = prepare_scheduler(bench.setting);
    const auto ending = std::async(std::launch::async, [&bench] {
        std::this_thread::sleep_for(100ms);
        bench.stop.request_stop();
    });
    CHECK_THROWS_AS(rows.rows.at(1).measure(1000), Interrupted);
}

// ----- pseudo-miner -----

constexpr std::uint32_t kNonce = 274148111;  // of block 100000

SearchRequest block_request(std::uint32_t start, std::uint32_t end) {
    SearchRequest request;
    request.header = block_of_name("100000");
    request.target = target_from_nbits(request.header.nbits());
    request.start = start;
    request.end = end;
    return request;
}

/// Two threads that searched the halves of a range, at 100 and 300 cycles per hash.
SearchReport report_of(const SearchRequest& request, double seconds, const std::vector<std::uint32_t>& nonces) {
    SearchReport report;
    const std::uint64_t count = std::uint64_t{request.end} - request.start + 1;
    const auto middle = static_cast<std::uint32_t>(request.start + count / 2);
    for (std::uint32_t i = 0; i < 2; ++i) {
        DeviceReport device;
        device.info.name = "cpu:test#" + std::to_string(i);
        device.hashes = count / 2;
        device.seconds = seconds;
        device.start = i == 0 ? request.start : middle;
        device.end = i == 0 ? middle - 1 : request.end;
        device.cycles.add_slice((100 + 200 * i) * device.hashes, device.hashes);
        report.devices.push_back(device);
    }
    report.hashes = count;
    report.seconds = seconds;
    report.counter_hz = 2e9;
    for (const std::uint32_t nonce : nonces) report.hits.push_back({1, nonce, {}, request.header.with_nonce(nonce)});
    return report;
}

TEST_CASE("pseudo-miner searches the range in a piece for each thread") {
    Bench bench;
    bench.options.search = block_request(kNonce - 1000, kNonce + 1001);
    const Rows rows = prepare_pseudo_miner(bench.setting);
    REQUIRE(names_of(rows) == std::vector<std::string>{"total time"});
    CHECK(rows.rows[0].unit == "s per search of 2,002 nonces");
    CHECK(rows.rows[0].measure(0.01) > 0);
    const Json details = rows.rows[0].details();
    CHECK(details["hits"] == 1);
    REQUIRE(details["threads"].size() == 2);
    CHECK(details["threads"][0]["start"] == kNonce - 1000);
    CHECK(details["threads"][0]["end"] == kNonce);
    CHECK(details["threads"][1]["start"] == kNonce + 1);
    CHECK(details["threads"][1]["end"] == kNonce + 1001);
    CHECK(details["threads"][1]["hashes"] == 1001);
    CHECK(details["cycles_per_hash"].is_number() == have_cycle_counter());
    CHECK(details.contains("interruptions") == have_cycle_counter());
    CHECK(rows.text(80).find("1 found: 274148111") != std::string::npos);
    CHECK(rows.job["header"] == block_of_name("100000").hex());
}

constexpr CycleCounterWords kCycles = {"rdtscp", "reference cycles", "cycles", "c/h"};
constexpr CycleCounterWords kTicks = {"cntvct_el0", "timer ticks", "ticks", "t/h"};

TEST_CASE("pseudo-miner's table stands beside the published figures") {
    const SearchRequest half = block_request(0, 0x7fffffff);
    const std::string text = pseudo_miner_text(half, report_of(half, 100, {kNonce}), kUnlimitedColumns, kCycles);
    for (const char* words :
         {"total time  100.000 s, 2,147,483,648 hashes, 21.47 MH/s; 1 found: 274148111", "00000000–3FFFFFFF",
          "40000000–7FFFFFFF", "   100.00   100.00   100.00  107,374,182,400", "at 2.000 GHz",
          "this machine, 2,147,483,648 nonces only", "200.00", "285 s", "251 s", "261 s", "2,989", "2,520", "2,678",
          "at this rate the whole 2^32 range would take 200.000 s"}) {
        INFO(text << "\n" << words);
        CHECK(text.find(words) != std::string::npos);
    }
    const SearchRequest whole = block_request(0, 0xffffffff);
    const std::string of_all = pseudo_miner_text(whole, report_of(whole, 100, {kNonce}), kUnlimitedColumns, kCycles);
    CHECK(of_all.find("at this rate") == std::string::npos);
    CHECK(of_all.find("only") == std::string::npos);
}

TEST_CASE("pseudo-miner's ticks are not compared with published cycles") {
    const SearchRequest whole = block_request(0, 0xffffffff);
    const std::string text = pseudo_miner_text(whole, report_of(whole, 100, {kNonce}), kUnlimitedColumns, kTicks);
    INFO(text);
    for (const char* words : {"avg t/h", "total ticks", "timer ticks per hash", "this machine", "285 s"})
        CHECK(text.find(words) != std::string::npos);
    for (const char* words : {"cycles", "c/h", "2,989", "1,009"}) CHECK(text.find(words) == std::string::npos);
}

TEST_CASE("pseudo-miner's details without a cycle counter") {
    const SearchRequest request = block_request(0, 0x7fffffff);
    SearchReport report = report_of(request, 100, {kNonce});
    CHECK(pseudo_miner_details(request, report)["cycles_per_hash"] == 200);
    CHECK(pseudo_miner_details(request, report)["whole_range_seconds"] == 200);
    for (DeviceReport& device : report.devices) device.cycles = {};
    report.counter_hz = 0;
    const Json details = pseudo_miner_details(request, report);
    CHECK(details["cycles_per_hash"].is_null());
    CHECK(details["counter_hz"].is_null());
    CHECK(details["threads"][0]["avg"].is_null());
    CHECK(details["threads"][0]["cycles"].is_null());
    CHECK(details["note"] == not_counted_text(kCycleCounter));
    CHECK(pseudo_miner_text(request, report).find(not_counted_text(kCycleCounter)) != std::string::npos);
}

TEST_CASE("slices are interrupted where they take longer than the median of those around them") {
    constexpr double kHz = 2e9;
    Interruptions interruptions;
    interruptions.add_slice(1000, 1);  // before it begins
    interruptions.begin(kHz);
    std::mt19937 random(20261128);
    Interruptions::Rows expected{};
    // Of 5,000 nonces at 100 cycles, later at 120; one in eight is interrupted, and the last is a short one.
    for (int window = 0; window < 3; ++window) {
        const int slices = window < 2 ? 1023 : 40;
        for (int i = 0; i < slices; ++i) {
            const std::uint64_t hashes = i % 100 == 0 ? 500 : 5000;
            const bool interrupted = i % 8 == 3;
            const std::uint64_t longer = interrupted ? 1000 + random() % 40'000'000 : random() % 1000;
            const std::uint64_t usual = (window == 0 ? 100 : 120) * hashes;
            interruptions.add_slice(usual + (interrupted ? longer : 0), hashes);
            const double seconds = static_cast<double>(longer) / kHz;
            if (!interrupted || seconds < 1e-6) continue;
            const std::size_t row = seconds < 1e-5   ? 0
                                    : seconds < 1e-4 ? 1
                                    : seconds < 1e-3 ? 2
                                    : seconds < 1e-2 ? 3
                                                     : 4;
            ++expected[row].slices;
            expected[row].seconds += seconds;
        }
    }
    interruptions.finish();
    interruptions.finish();
    for (std::size_t row = 0; row < expected.size(); ++row) {
        CAPTURE(row);
        CHECK(interruptions.rows()[row].slices == expected[row].slices);
        CHECK(interruptions.rows()[row].seconds == Approx(expected[row].seconds));
    }
    Interruptions::Rows twice = expected;
    merge(twice, expected);
    CHECK(twice[4].slices == 2 * expected[4].slices);
    const std::string text = interruptions_text(expected, twice, kUnlimitedColumns);
    for (const char* words : {"no OS: slices", "Linux: slices", "10 to 100 us", "10 ms and more"})
        CHECK(text.find(words) != std::string::npos);
    CHECK(interruptions_text({}, std::nullopt, kUnlimitedColumns).find("Linux") == std::string::npos);
    CHECK(interruptions_json(expected)[4]["slices"] == expected[4].slices);
    CHECK(interruptions_json(expected)[4]["from_seconds"] == 0.01);
}

TEST_CASE("pseudo-miner's result has to be complete and right") {
    const SearchRequest request = block_request(0, 0x7fffffff);
    CHECK_NOTHROW(verify_pseudo_miner(request, report_of(request, 1, {kNonce})));
    CHECK_THROWS_AS(verify_pseudo_miner(request, report_of(request, 1, {})), VerificationError);
    CHECK_THROWS_AS(verify_pseudo_miner(request, report_of(request, 1, {kNonce, kNonce + 1})), VerificationError);
    SearchReport part = report_of(request, 1, {kNonce});
    --part.hashes;
    CHECK_THROWS_AS(verify_pseudo_miner(request, part), VerificationError);
    SearchReport failed = report_of(request, 1, {kNonce});
    failed.devices.back().failure = "it failed";
    CHECK_THROWS_AS(verify_pseudo_miner(request, failed), VerificationError);
    SearchReport cut = report_of(request, 1, {kNonce});
    cut.truncated = true;
    CHECK_THROWS_AS(verify_pseudo_miner(request, cut), InputError);

    const SearchRequest above = block_request(kNonce + 1, kNonce + 1000);
    CHECK_NOTHROW(verify_pseudo_miner(above, report_of(above, 1, {})));
    CHECK_THROWS_AS(verify_pseudo_miner(above, report_of(above, 1, {kNonce + 5})), VerificationError);

    // Of another block only its own nonce is known.
    SearchRequest other = request;
    other.header = block_of_name("1");
    other.target = target_from_nbits(other.header.nbits());
    other.end = 0xffffffff;
    CHECK_NOTHROW(verify_pseudo_miner(other, report_of(other, 1, {other.header.nonce()})));
    CHECK_THROWS_AS(verify_pseudo_miner(other, report_of(other, 1, {})), VerificationError);
}

TEST_CASE("pseudo-miner is for CPU threads, and the user may end it") {
    Bench blind(kBlind);
    CHECK_THROWS_AS(prepare_pseudo_miner(blind.setting), NoDeviceError);

    Bench bench;
    bench.options.search = block_request(0, 0xffffffff);
    const Rows rows = prepare_pseudo_miner(bench.setting);
    const auto ending = std::async(std::launch::async, [&bench] {
        std::this_thread::sleep_for(100ms);
        bench.stop.request_stop();
    });
    CHECK_THROWS_AS(rows.rows.front().measure(0.01), Interrupted);
}

}  // namespace
}  // namespace gpuminer::bench
