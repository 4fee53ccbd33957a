// The common part of the GPU backends, with an engine played by OpenSSL.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "host/gpu/engine.hpp"
#include "host/gpu/tuning.hpp"
#include "host/search/self_test.hpp"
#include "tests/catch.hpp"
#include "tests/host/devices/fake_devices.hpp"
#include "tests/host/files/cache_folder.hpp"

using namespace gpuminer;
using namespace gpuminer::gpu;

namespace {

constexpr KernelVariant kFirst{Mix::kAdds, 1, 64};
constexpr KernelVariant kSecond{Mix::kPlain, 1, 64};
constexpr KernelVariant kThird{Mix::kAllAdds, 4, 128};

/// What the tests see of an engine, which its device owns.
struct Log {
    std::map<std::string, unsigned> scans, prepared;
    std::uint64_t largest_launch = 0;
    std::vector<NonceRange> launches;
};

struct FakeEngine final : Engine {
    explicit FakeEngine(Log& engine_log) : log(engine_log) {
        description.name = "fake:gpu#0";
        description.backend = "fake";
        description.model = "Fake 9000";
        description.driver = "1.0";
    }

    const DeviceInfo& info() const override { return description; }
    std::vector<KernelVariant> variants(bool rolled) const override {
        return rolled ? rolled_variants : fixed_variants;
    }
    void prepare(const KernelVariant& variant, bool) override {
        if (to_string(variant) == does_not_compile) throw DeviceError("it does not compile");
        ++log.prepared[to_string(variant)];
    }
    void scan(const KernelVariant& variant, const Sha256dJob& job, NonceRange range, Candidates& found) override {
        ++log.scans[to_string(variant)];
        log.launches.push_back(range);
        log.largest_launch = std::max(log.largest_launch, range.count);
        REQUIRE(range.count <= kLargestLaunch);
        if (const auto delay = delays.find(to_string(variant)); delay != delays.end() && range.count > 5000)
            std::this_thread::sleep_for(delay->second);
        if (range.count > 5000) return;  // only self-tests look at what is found
        for (std::uint32_t v = 0; v < job.versions().size(); ++v) {
            for (std::uint64_t i = 0; i < range.count; ++i) {
                const auto nonce = static_cast<std::uint32_t>(range.first + i);
                if (passes_top_word(test::last_word(job, v, nonce), job.target_top()) && to_string(variant) != lies)
                    found.push({v, nonce});
            }
        }
    }

    Log& log;
    DeviceInfo description;
    std::vector<KernelVariant> fixed_variants{kFirst, kSecond, kThird}, rolled_variants{kSecond, kFirst};
    std::map<std::string, std::chrono::milliseconds> delays;
    std::string does_not_compile, lies;
};

struct Bench {
    Log log;
    std::unique_ptr<FakeEngine> engine = std::make_unique<FakeEngine>(log);
    std::unique_ptr<Device> open(DeviceOptions options = {}) { return make_gpu_device(std::move(engine), options); }
};

Sha256dJob easy_job() { return Sha256dJob(BlockHeader{}.bytes, std::vector<std::uint32_t>{1}, 0); }

}  // namespace

TEST_CASE("a variant's text can be read back, and nothing else can") {
    for (const Mix mix : kMixes) {
        const KernelVariant variant{mix, 16, 128};
        CHECK(parse_variant(to_string(variant)) == variant);
    }
    CHECK(to_string(kThird) == "all-adds x4 g128");
    for (const char* const text :
         {"", "plain", "plain x", "plain x1", "plain x1 g", "plain x1 g64 ", "plain x0 g64", "plain x1 g0",
          "other x1 g64", "adds+ x1 g64", "plain x-1 g64", "plain x1 g99999999999"}) {
        INFO(text);
        CHECK_FALSE(parse_variant(text));
    }
}

TEST_CASE("variants come in the order of the lists of mixes, each with every size of group before the next list") {
    constexpr std::array kGroups = {256u, 64u};
    const std::vector<KernelVariant> expected{{Mix::kPlain, 4, 256}, {Mix::kAdds, 4, 256},    {Mix::kPlain, 4, 64},
                                              {Mix::kAdds, 4, 64},   {Mix::kAllAdds, 4, 256}, {Mix::kAllAdds, 4, 64}};
    CHECK(variants_of({{Mix::kPlain, Mix::kAdds}, {Mix::kAllAdds}}, kGroups, 4) == expected);
}

TEST_CASE("the launch words say what to scan and how to sieve") {
    const Sha256dJob job(BlockHeader{}.bytes, std::vector<std::uint32_t>{1, 2, 3}, 0x0000ffff);
    const LaunchWords words = launch_words(job, {77, 1000});
    CHECK(words.first_nonce == 77);
    CHECK(words.count == 1000);
    CHECK(words.versions == 3);
    CHECK(words.target_top == 0x0000ffff);
    CHECK(words.sieve_mask == 0x0000ffff);  // bytes swapped: the digest's last word is read as little-endian
    CHECK(words.one == 1);                  // as docs/proof.md assumes
    CHECK(words.other_one == 1);
    for (unsigned n = 1; n < 32; ++n) CHECK(words.powers[n] == 1u << (32 - n));
}

TEST_CASE("tuning takes the fastest variant of each form and remembers it") {
    const test::CacheFolder cache;
    Bench first;
    first.engine->delays = {{to_string(kFirst), std::chrono::milliseconds(60)},
                            {to_string(kSecond), std::chrono::milliseconds(20)},
                            {to_string(kThird), std::chrono::milliseconds(40)}};
    const DeviceInfo info = first.engine->info();
    CHECK(remembered_rate(info) == 0);
    const auto device = first.open();
    const auto tuning = remembered_tuning(info);
    REQUIRE(tuning);
    CHECK(tuning->complete);
    CHECK(tuning->best[0].variant == kSecond);
    CHECK(tuning->best[1].variant == kSecond);
    CHECK(remembered_rate(info) == tuning->best[0].rate);
    CHECK(remembered_rate(info) > 0);
    CHECK(device->info().description == to_string(kSecond));
    CHECK(static_cast<double>(device->batch()) == Approx(tuning->best[0].rate / 20).epsilon(0.01));

    SECTION("a second start does not measure") {
        Bench second;
        const auto again = second.open();
        CHECK(second.log.scans.size() == 1);  // the self-test of the chosen one,
        CHECK(second.log.largest_launch < 5000);
        CHECK(second.log.prepared.size() == 1);  // for both forms
    }
    SECTION("--retune measures again") {
        Bench second;
        second.engine->delays = {{to_string(kSecond), std::chrono::milliseconds(60)}};
        const auto again = second.open({.retune = true});
        CHECK_FALSE(second.log.scans.empty());
        CHECK(remembered_tuning(info)->best[1].variant == kFirst);
    }
    SECTION("a chosen variant that does not work any more is tuned anew") {
        Bench second;
        second.engine->lies = to_string(kSecond);
        second.engine->rolled_variants = {kSecond, kFirst};
        const auto again = second.open();
        CHECK_FALSE(self_test(*again));
        CHECK(remembered_tuning(info)->best[0].variant != kSecond);
    }
    SECTION("another driver is another device") {
        Bench second;
        second.engine->description.driver = "2.0";
        const auto again = second.open();
        CHECK_FALSE(second.log.scans.empty());
    }
    SECTION("a variant that is no longer offered is tuned anew") {
        Bench second;
        second.engine->fixed_variants = {kThird};
        const auto again = second.open();
        CHECK(remembered_tuning(info)->best[0].variant == kThird);
    }
    SECTION("a damaged memory is tuned anew") {
        const auto key_line = "gpuminer";
        for (const auto& entry : std::filesystem::directory_iterator(cache.folder.path() / "gpuminer")) {
            std::ofstream(entry.path(), std::ios::trunc) << key_line;
        }
        Bench second;
        const auto again = second.open();
        CHECK_FALSE(second.log.scans.empty());
    }
}

TEST_CASE("a variant that computes wrongly or does not compile is never chosen") {
    const test::CacheFolder cache;
    Bench bench;
    bench.engine->delays = {{to_string(kThird), std::chrono::milliseconds(30)}};
    bench.engine->does_not_compile = to_string(kFirst);
    bench.engine->lies = to_string(kSecond);
    const auto info = bench.engine->info();
    // The rolled list has no third variant, so that nothing would be left for it.
    bench.engine->rolled_variants = {kSecond, kFirst, kThird};
    const auto device = bench.open();
    CHECK(remembered_tuning(info)->best[0].variant == kThird);
    CHECK(remembered_tuning(info)->best[1].variant == kThird);
    CHECK_FALSE(self_test(*device));
}

TEST_CASE("where no variant works the device cannot be opened, and says why") {
    const test::CacheFolder cache;
    Bench bench;
    bench.engine->fixed_variants = bench.engine->rolled_variants = {kFirst};
    bench.engine->lies = to_string(kFirst);
    CHECK_THROWS_WITH(bench.open(),
                      Catch::Contains("no variant of the kernel works") && Catch::Contains("self-test failed"));
}

TEST_CASE("with no time to tune, the first variant that works is taken, and not remembered") {
    const test::CacheFolder cache;
    Bench bench;
    const auto info = bench.engine->info();
    bench.engine->delays = {{to_string(kFirst), std::chrono::milliseconds(20)}};
    const auto device = bench.open({.tuning_seconds = 0});
    CHECK(device->info().description == to_string(kFirst));
    CHECK(bench.log.scans.count(to_string(kThird)) == 0);
    CHECK_FALSE(remembered_tuning(info));
}

TEST_CASE("tuning that was interrupted goes on where it was") {
    const test::CacheFolder cache;
    Log log;
    FakeEngine engine(log);
    engine.delays = {{to_string(kFirst), std::chrono::milliseconds(40)},
                     {to_string(kSecond), std::chrono::milliseconds(20)},
                     {to_string(kThird), std::chrono::milliseconds(30)}};
    struct Killed {};
    const TuningHelp help{.self_test = [](const KernelVariant&, const KernelVariant&) { return std::nullopt; },
                          .keep =
                              [&](const Tuning& tuning) {
                                  remember(engine.info(), tuning);
                                  throw Killed{};
                              }};
    CHECK_THROWS_AS(tune(engine, {}, 3, help), Killed);
    CHECK(log.scans.size() == 2);                // the first of each form
    CHECK(remembered_rate(engine.info()) == 0);  // nothing to compare with yet

    Bench second;
    second.engine->delays = engine.delays;
    const auto device = second.open();
    CHECK(remembered_tuning(engine.info())->complete);
    CHECK(remembered_rate(engine.info()) > 0);
    CHECK(device->info().description == to_string(kSecond));
    CHECK(second.log.prepared.count(to_string(kThird)) == 1);
    // The first variant of the one header's form is not measured again; it is only the second of the other form.
    CHECK(remembered_tuning(engine.info())->best[1].variant == kSecond);
}

TEST_CASE("a scan is cut into launches whose indices fit") {
    const test::CacheFolder cache;
    Bench bench;
    const auto device = bench.open({.tuning_seconds = 0});
    bench.log.launches.clear();
    ScanResult result;
    device->scan(easy_job(), {5, (std::uint64_t{1} << 32) - 5}, result);
    REQUIRE(bench.log.launches.size() == 4);
    std::uint64_t next = 5;
    for (const NonceRange& launch : bench.log.launches) {
        CHECK(launch.first == next);
        next += launch.count;
    }
    CHECK(next == std::uint64_t{1} << 32);
}

TEST_CASE("batches follow the measured rate, unless an intensity is given") {
    const test::CacheFolder cache;
    Bench bench;
    bench.engine->delays = {{to_string(kFirst), std::chrono::milliseconds(10)}};
    bench.engine->fixed_variants = bench.engine->rolled_variants = {kFirst};
    const auto device = bench.open();
    ScanResult result;
    const std::uint64_t before = device->batch();
    // Takes 10 ms and not 50, if other programs leave the processor to it: the next one may be larger.
    for (unsigned scans = 0; device->batch() <= before; ++scans) {
        if (scans == 1000) FAIL("the batch is still " << device->batch() << " nonces after 1000 scans");
        device->scan(easy_job(), {0, device->batch()}, result);
    }
    const std::uint64_t larger = device->batch();
    CHECK(larger <= before * 2);
    device->scan(easy_job(), {0, 1}, result);  // says nothing about the rate
    CHECK(device->batch() == larger);

    Bench other;
    const auto fixed = other.open({.intensity = 20});
    CHECK(fixed->batch() == 1u << 20);
    fixed->scan(easy_job(), {0, 1u << 20}, result);
    CHECK(fixed->batch() == 1u << 20);
}

TEST_CASE("the thread of a GPU comes before those of CPUs that are above normal, and is never lowered") {
    const test::CacheFolder cache;
    const auto nice_value = [] { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); };
    const auto set_nice_value = [](int value) { (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), value); };
    struct Row {
        unsigned cpu_priority;
        int wanted;  ///< nice value; 19: none
    };
    for (const Row row : {Row{0, 19}, Row{1, 19}, Row{2, 19}, Row{3, -10}, Row{4, -15}, Row{5, -20}}) {
        Bench bench;
        const auto device = bench.open({.cpu_priority = row.cpu_priority, .tuning_seconds = 0});
        for (const int start : {0, -18}) {
            int before = 0, attached = 0, permitted = 0;
            std::thread([&] {
                set_nice_value(start);  // may be refused, as what follows
                before = nice_value();
                device->attach_thread();
                attached = nice_value();
                set_nice_value(std::min(before, row.wanted));
                permitted = nice_value();
            }).join();
            CAPTURE(row.cpu_priority, before);
            CHECK(attached == permitted);
        }
    }
}

TEST_CASE("the engine of a GPU device can be reached, that of others cannot") {
    const test::CacheFolder cache;
    Bench bench;
    Engine* const engine = bench.engine.get();
    const auto device = bench.open({.tuning_seconds = 0});
    CHECK(engine_of(*device) == engine);
    test::FakeDevice other("fake:0", BlockHeader{}, {});
    CHECK(engine_of(other) == nullptr);
}
