// The choice among the forms of the search. Times are made up, so that nothing here depends on how fast this machine
// is.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cpu/backend.hpp"
#include "cpu/device.hpp"
#include "cpu/form_choice.hpp"
#include "cpu/form_watch.hpp"
#include "tests/catch.hpp"
#include "tests/host/files/cache_folder.hpp"

using namespace gpuminer;
using cpu::FormWatch;
using cpu::Isa;

namespace {

void scan_at_once(cpu::ScanArguments& arguments) { arguments.scanned_by = "quick"; }
void scan_slowly(cpu::ScanArguments& arguments) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    arguments.scanned_by = "slow";
}

constexpr Isa kSlow{"slow", "one at a time", scan_slowly, nullptr, ""};
constexpr Isa kQuick{"quick", "two at a time", scan_at_once, nullptr, ""};
constexpr Isa kOther{"quick", "three at a time", scan_at_once, nullptr, ""};

/// Seconds that each form takes for 2,048 hashes on a quiet machine: what a Zen 4 shows.
const std::map<const Isa*, double> kQuiet = {{&kSlow, 1e-3}, {&kQuick, 64e-6}, {&kOther, 54e-6}};

/// A machine that is busy with other things: most timings are too long, and for a while all those of one form.
class BusyMachine {
public:
    explicit BusyMachine(unsigned seed) : random_(seed) {}
    double operator()(const Isa& form, std::size_t /*versions*/) {
        ++timings;
        double seconds = kQuiet.at(&form);
        if (neighbour_ != &form) seconds *= 1 + 0.01 * uniform(random_);
        if (left_ > 0) --left_;
        if (left_ == 0 && uniform(random_) < 0.1) {  // a neighbour whose work is in the way of one form's
            neighbour_ = uniform(random_) < 0.5 ? &kQuick : &kOther;
            left_ = static_cast<int>(6 * uniform(random_));
        }
        if (left_ > 0 && neighbour_ == &form) seconds *= 2;
        if (uniform(random_) < 0.3) seconds += 4e-3 * uniform(random_);  // another thread's turn
        return seconds;
    }
    int timings = 0;

private:
    std::mt19937 random_;
    std::uniform_real_distribution<> uniform{0, 1};
    const Isa* neighbour_ = nullptr;
    int left_ = 0;
};

const Isa& fastest(const std::vector<cpu::FormRate>& rates) {
    return *std::ranges::max_element(rates, {}, &cpu::FormRate::rate)->form;
}

}  // namespace

TEST_CASE("a busy machine does not decide which form is the fastest") {
    const std::vector<const Isa*> forms = {&kSlow, &kQuick, &kOther};
    int wrong = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        BusyMachine machine(seed);
        const auto rates = cpu::time_forms(forms, std::ref(machine));
        REQUIRE(rates.size() == forms.size());
        wrong += &fastest(rates) == &kOther ? 0 : 1;
    }
    INFO(wrong << " of 1,000 choices are wrong");
    CHECK(wrong == 0);
}

TEST_CASE("on a quiet machine timing is over soon, and the rates are right") {
    const std::vector<const Isa*> forms = {&kSlow, &kQuick, &kOther};
    std::map<const Isa*, int> timings;
    const auto rates = cpu::time_forms(forms, [&](const Isa& form, std::size_t versions) {
        CHECK((versions == 1 || versions == 8));
        ++timings[&form];
        return kQuiet.at(&form);
    });
    CHECK(timings[&kOther] == 2 * 11);
    CHECK(timings[&kSlow] == 2 * 8);  // far behind
    for (const cpu::FormRate& rate : rates) CHECK(rate.rate == Approx(2048 / kQuiet.at(rate.form)));
}

TEST_CASE("timing ends where no two times are alike") {
    double seconds = 1;
    int timings = 0;
    (void)cpu::time_forms(std::vector{&kQuick, &kOther}, [&](const Isa&, std::size_t) {
        ++timings;
        return seconds *= 0.9;
    });
    CHECK(timings < 100);
}

TEST_CASE("without timings the last ISA of the list that can run is taken, in its first form") {
    const auto forms = cpu::usable_forms("auto", cpu::detect_features());
    const Isa& chosen = cpu::fastest_of(forms, std::nullopt);
    CHECK(chosen.name == std::string(forms.back()->name));
    CHECK(chosen.scan == cpu::find_isa(chosen.name)->scan);
    CHECK(cpu::usable_forms("auto", cpu::Features{}).size() == 1);
    CHECK(cpu::usable_forms("riscv-v", cpu::detect_features()).empty());
}

TEST_CASE("rates are timed once, remembered, and measured again when asked for or damaged") {
    const test::CacheFolder cache;
    CHECK_FALSE(cpu::form_rates(FormChoice::kUntimed));
    CHECK(std::filesystem::is_empty(cache.folder.path()));
    const auto timed = cpu::form_rates(FormChoice::kTimed);
    REQUIRE(timed);
    const auto same = [&](const std::optional<std::vector<cpu::FormRate>>& rates) {
        return rates && std::ranges::equal(*rates, *timed, [](const cpu::FormRate& a, const cpu::FormRate& b) {
                   return a.form == b.form && a.rate == Approx(b.rate).epsilon(1e-4);
               });
    };
    CHECK(same(cpu::form_rates(FormChoice::kUntimed)));
    CHECK(same(cpu::form_rates(FormChoice::kTimed)));  // two timings are never the same to four digits
    CHECK(cpu::form_rates(FormChoice::kTimed, true));

    for (const auto& file : std::filesystem::recursive_directory_iterator(cache.folder.path())) {
        if (file.is_regular_file()) std::ofstream(file.path(), std::ios::app) << "x";
    }
    CHECK_FALSE(cpu::form_rates(FormChoice::kUntimed));
}

TEST_CASE("a form that was faster while mining is the one of the next start") {
    const test::CacheFolder cache;
    const auto forms = cpu::usable_forms("auto", cpu::detect_features());
    cpu::remember_faster(*forms.front(), *forms.back(), 2);  // nothing is remembered yet: no harm
    CHECK_FALSE(cpu::form_rates(FormChoice::kUntimed));
    const Isa& before = cpu::fastest_of(forms, cpu::form_rates(FormChoice::kTimed));
    const Isa& slowest = *forms.front();
    if (&before == &slowest) return;  // scalar code only
    cpu::remember_faster(slowest, before, 1.5);
    CHECK(&cpu::fastest_of(forms, cpu::form_rates(FormChoice::kTimed)) == &slowest);
}

TEST_CASE("comparisons are due after 1, 2, 4 s and so on, a minute apart at last") {
    FormWatch watch(kSlow, {&kSlow});
    const auto equal = [](const Isa&) { return 1.0; };
    CHECK_FALSE(watch.due(1000));
    std::vector<double> due;
    for (double now = 1000; now < 1400; now += 0.5) {
        if (!watch.due(now)) continue;
        due.push_back(now - 1000);
        CHECK_FALSE(watch.compare(equal));
    }
    CHECK(due == std::vector<double>{1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363});
    FormWatch alone(kSlow, {});
    for (double now = 0; now < 100; ++now) CHECK_FALSE(alone.due(now));
}

TEST_CASE("a form that is clearly faster three times in a row takes over, and once or twice is chance") {
    const std::map<const Isa*, double> times = {{&kSlow, 1.0}, {&kQuick, 0.5}};
    FormWatch watch(kSlow, {&kQuick});
    const auto truly = [&](const Isa& form) { return times.at(&form); };
    CHECK_FALSE(watch.due(0));
    REQUIRE(watch.due(1));
    CHECK_FALSE(watch.compare(truly));
    CHECK(watch.due(1.001));  // again at once
    CHECK_FALSE(watch.compare(truly));
    CHECK_FALSE(watch.compare([](const Isa&) { return 1.0; }));
    CHECK_FALSE(watch.due(1.002));
    REQUIRE(watch.due(10));
    for (int i = 0; i < 2; ++i) CHECK_FALSE(watch.compare(truly));
    CHECK(&watch.current() == &kSlow);
    const auto change = watch.compare(truly);
    REQUIRE(change);
    CHECK(change->from == &kSlow);
    CHECK(change->to == &kQuick);
    CHECK(change->ratio == Approx(2));
    CHECK(&watch.current() == &kQuick);
    REQUIRE(watch.due(100));  // the slow one is among the others now
    CHECK_FALSE(watch.compare(truly));
    CHECK(&watch.current() == &kQuick);
}

TEST_CASE("each other form has its turn, and a little faster is not enough") {
    std::set<const Isa*> compared;
    FormWatch watch(kSlow, {&kQuick, &kOther});
    (void)watch.due(0);
    for (double now = 1; now < 10; ++now) {
        if (!watch.due(now)) continue;
        CHECK_FALSE(watch.compare([&](const Isa& form) {
            compared.insert(&form);
            return &form == &kSlow ? 1.0 : 0.97;
        }));
    }
    CHECK(compared == std::set<const Isa*>{&kSlow, &kQuick, &kOther});
}

TEST_CASE("a device finds out on its own work that another form is faster, says so once, and searches everything") {
    const test::CacheFolder cache;
    DeviceOptions options;
    options.intensity = 16;
    const auto device = cpu::make_device(kSlow, {"cpu:slow#0", "cpu", "model", "", 0, 1}, 0, options, {&kQuick});
    const Sha256dJob job(std::array<std::uint8_t, 80>{}, std::array<std::uint32_t, 1>{1}, 0);
    std::vector<std::string> news;
    for (int i = 0; i < 20'000 && news.empty(); ++i) {  // at 2 ms or more each
        ScanResult result;
        device->scan(job, {0, 1 << 16}, result);
        if (!result.news.empty()) news.push_back(result.news);
    }
    REQUIRE(news.size() == 1);
    CHECK(news.front().starts_with("runs quick (two at a time) from now on: "));
    CHECK(news.front().ends_with(" times as fast as slow (one at a time)"));
    CHECK(device->info().name == "cpu:slow#0");
    ScanResult result;
    device->scan(job, {0, 1 << 16}, result);  // as quick says, which throws where another form ran
    CHECK(result.news.empty());
}

TEST_CASE("the option --isa decides which forms may take over") {
    const test::CacheFolder cache;
    DeviceOptions options;
    options.isa = "scalar";
    options.form_choice = FormChoice::kWatched;
    const auto probes = kCpuBackend.probe(options);
    REQUIRE_FALSE(probes.empty());
    CHECK(probes.front().info.kind == "scalar");
    CHECK(std::filesystem::is_empty(cache.folder.path()));  // one form only: nothing is timed
    CHECK_NOTHROW(kCpuBackend.open(probes.front(), options));
}
