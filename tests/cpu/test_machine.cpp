// Tests of the CPU backend's view of the machine: features, hardware threads, the cycle counter.
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <thread>

#include "cpu/machine/cpu_model.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "cpu/machine/cycle_counter_text.hpp"
#include "cpu/machine/features.hpp"
#include "cpu/machine/topology.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

namespace {

// The flags that the kernel lists ("flags" on x86-64, "Features" on ARM64); empty where it lists none.
std::set<std::string> kernel_flags() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("flags", 0) != 0 && line.rfind("Features", 0) != 0) continue;
        std::istringstream words(line.substr(line.find(':') + 1));
        std::set<std::string> flags;
        for (std::string word; words >> word;) flags.insert(word);
        return flags;
    }
    return {};
}

/// `names`: separated by spaces.
bool has_all(const std::set<std::string>& flags, const std::string& names) {
    std::istringstream words(names);
    for (std::string word; words >> word;) {
        if (flags.count(word) == 0) return false;
    }
    return true;
}

std::set<unsigned> affinity() {
    cpu_set_t set;
    CPU_ZERO(&set);
    REQUIRE(sched_getaffinity(0, sizeof(set), &set) == 0);
    std::set<unsigned> numbers;
    for (unsigned i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &set)) numbers.insert(i);
    }
    return numbers;
}

}  // namespace

TEST_CASE("every feature that the kernel lists is detected") {
    const std::set<std::string> flags = kernel_flags();
    if (flags.empty()) {
        std::cout << "SKIPPED: /proc/cpuinfo lists no flags" << std::endl;
        return;
    }
    // Not the other way round: a kernel may hide what the CPU says.
    const cpu::Features features = cpu::detect_features();
#define GPUMINER_FEATURE(name, linux_name, compiler_flags, missing) \
    if (has_all(flags, #linux_name)) CHECK(features.name);
#include "cpu/isa_list.inc"
    if (flags.count("rdtscp") != 0) CHECK(features.cycle_counter);
    CHECK(features == cpu::detect_features());
}

TEST_CASE("a feature comes with those that its code uses besides") {
    const cpu::Features features = cpu::detect_features();
#if defined(__x86_64__)
    if (features.avx512f) CHECK(features.avx2);
    if (features.avx2_bmi2) CHECK(features.avx2);
    if (features.sha) CHECK(features.sse41);
    CHECK(features.avx2_sha == (features.avx2 && features.sha));
    if (features.avx512vl_sha) CHECK((features.avx512f && features.sha));
#else
    if (features.sha2) CHECK(features.asimd);
#endif
}

TEST_CASE("the CPU's name is printable and trimmed") {
    const std::string model = cpu::cpu_model();
    REQUIRE_FALSE(model.empty());
    CHECK(std::all_of(model.begin(), model.end(), [](char c) { return c >= ' ' && c <= '~'; }));
    CHECK(model.front() != ' ');
    CHECK(model.back() != ' ');
}

TEST_CASE("the usable hardware threads are those that the system lets this process run on") {
    const std::vector<unsigned> threads = cpu::usable_hardware_threads();
    const std::set<unsigned> unique(threads.begin(), threads.end());
    CHECK(unique.size() == threads.size());
    CHECK(unique == affinity());
}

TEST_CASE("one hardware thread is left to the system, but one is always used") {
    CHECK(cpu::default_thread_count(1) == 1);
    for (unsigned threads = 2; threads <= 256; ++threads) {
        const unsigned count = cpu::default_thread_count(threads);
        REQUIRE(count >= 1);
        REQUIRE(count <= threads - 1);
        REQUIRE(count >= cpu::default_thread_count(threads - 1));
    }
}

TEST_CASE("none is left to the system by what wants them all") {
    const std::size_t usable = cpu::usable_hardware_threads().size();
    for (unsigned threads = 1; threads <= usable; ++threads)  // a container's limit may be lower
        CHECK(cpu::default_thread_count(threads, 0) == std::min(threads, cpu::default_thread_count(4096) + 1));
}

TEST_CASE("a pinned thread runs where it was pinned to, and no other is touched") {
    const std::set<unsigned> before = affinity();
    for (const unsigned number : cpu::usable_hardware_threads()) {
        std::set<unsigned> pinned;
        bool done = false;
        std::thread([&] {
            done = cpu::pin_this_thread(number);
            pinned = affinity();
        }).join();
        if (!done) {  // some sandboxes do not allow it
            CHECK(pinned == before);
            continue;
        }
        CHECK(pinned == std::set{number});
    }
    CHECK(affinity() == before);
}

TEST_CASE("pinning to a hardware thread that does not exist is refused") {
    bool done = true;
    std::thread([&] { done = cpu::pin_this_thread(1'000'000); }).join();
    CHECK_FALSE(done);
}

TEST_CASE("the cycle counter counts up, at a plausible frequency") {
    CHECK(have_cycle_counter() == cpu::detect_features().cycle_counter);
    if (!have_cycle_counter()) {
        std::cout << "SKIPPED: this CPU has no cycle counter" << std::endl;
        return;
    }
    std::uint64_t last = read_cycle_counter();
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t now = read_cycle_counter();
        REQUIRE(now >= last);
        last = now;
    }
    const double hz = measured_counter_hz();
    CHECK(hz > 1e6);  // an ARM64 timer may run at 19.2 MHz
    CHECK(hz < 1e10);
    // The longer it has run the better the figure; an interruption between two readings costs some accuracy.
    CHECK(measured_counter_hz() == Approx(hz).epsilon(0.05));
}

TEST_CASE("a counter is named as what it is") {
    constexpr CycleCounterWords kCycles = {"rdtscp", "reference cycles", "cycles", "c/h"};
    constexpr CycleCounterWords kTicks = {"cntvct_el0", "timer ticks", "ticks", "t/h"};
    CHECK(counted_text(kCycles, 2.45e9) == "c/h: reference cycles per hash, counted by rdtscp at 2.450 GHz");
    CHECK(counted_text(kTicks, 54e6) == "t/h: timer ticks per hash, counted by cntvct_el0 at 54.000 MHz");
    CHECK(not_counted_text(kTicks) == "this machine has no cntvct_el0: ticks are not counted");
}
