// One CPU thread as a device: slices, batches, candidates, cycles. The scans are made up, so that nothing here
// depends on how fast this machine is.
#include "cpu/device.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>
#include <thread>

#include "cpu/machine/cycle_counter.hpp"
#include "cpu/machine/topology.hpp"
#include "tests/catch.hpp"

using namespace gpuminer;

namespace {

// What the made-up ISA does and saw.
struct Script {
    std::chrono::microseconds delay{0};  ///< per slice
    std::uint64_t hits_per_slice = 0;    ///< from the slice's first nonce on
    std::vector<NonceRange> slices;
    std::set<std::uint32_t> version_counts;
};
Script script;

void scripted_scan(cpu::ScanArguments& arguments) {
    arguments.scanned_by = "scripted";
    script.slices.push_back({arguments.first_nonce, arguments.count});
    script.version_counts.insert(arguments.versions);
    std::this_thread::sleep_for(script.delay);
    for (std::uint32_t i = 0; i < script.hits_per_slice; ++i) {
        if (arguments.found < arguments.capacity)
            arguments.candidates[arguments.found] = {0, arguments.first_nonce + i};
        ++arguments.found;
    }
}

constexpr cpu::Isa kScripted{"scripted", "as the test says", scripted_scan, nullptr, ""};

std::unique_ptr<Device> scripted_device(const DeviceOptions& options = {}) {
    script = {};
    return cpu::make_device(kScripted, {"cpu:scripted#0", "cpu", "model", "", 0, 1}, 0, options);
}

Sha256dJob job_for(std::size_t versions) {
    std::vector<std::uint32_t> numbers(versions);
    for (std::size_t i = 0; i < versions; ++i) numbers[i] = static_cast<std::uint32_t>(i);
    return Sha256dJob(std::array<std::uint8_t, 80>{}, numbers, 0);
}

// The slices follow one another from the range's first nonce to its last.
void check_slices(NonceRange range) {
    std::uint64_t next = range.first;
    for (const NonceRange& slice : script.slices) {
        REQUIRE(slice.first == next);
        REQUIRE(slice.count >= 1);
        next += slice.count;
    }
    REQUIRE(next == range.first + range.count);
}

}  // namespace

TEST_CASE("a device has the name and the model it was given") {
    const auto device = scripted_device();
    CHECK(device->info().name == "cpu:scripted#0");
    CHECK(device->info().model == "model");
}

TEST_CASE("slices cover the range exactly, to the last nonce of all") {
    for (const std::size_t versions : {1, 2, 8, 300}) {
        const Sha256dJob job = job_for(versions);
        for (const NonceRange range :
             {NonceRange{0, 1}, NonceRange{7, 255}, NonceRange{7, 256}, NonceRange{7, 257}, NonceRange{0, 100'000},
              NonceRange{0xffffffff, 1}, NonceRange{0xffff0000, 0x10000}, NonceRange{0xfff00001, 0xfffff}}) {
            const auto device = scripted_device();
            ScanResult result;
            device->scan(job, range, result);
            check_slices(range);
            CHECK(script.version_counts == std::set{static_cast<std::uint32_t>(versions)});
            CHECK(result.candidates.items().empty());
        }
    }
}

TEST_CASE("a slice is a small part of a batch of hashes, and 256 nonces at least") {
    DeviceOptions options;
    options.intensity = 20;
    const auto slice_for = [&](std::size_t versions) {
        const auto device = scripted_device(options);
        ScanResult result;
        device->scan(job_for(versions), {0, 200'000}, result);
        return script.slices.front().count;
    };
    // Few enough per batch that reading the counter costs nothing, enough for a minimum and a maximum to mean
    // something.
    const std::uint64_t slice = slice_for(1);
    CHECK(slice >= (1u << 20) / 64);
    CHECK(slice <= (1u << 20) / 8);
    CHECK(slice_for(8) == slice / 8);
    CHECK(slice_for(3) == slice / 3);
    CHECK(slice_for(1000) == 256);
}

TEST_CASE("cycles are counted over all slices, for nonces times versions") {
    const auto device = scripted_device();
    script.delay = std::chrono::microseconds(100);
    ScanResult result;
    device->scan(job_for(3), {5, 5000}, result);
    if (!have_cycle_counter()) {
        CHECK(result.cycles.empty());
        return;
    }
    CHECK(result.cycles.hashes == 15'000);
    CHECK(result.cycles.cycles > 0);
    CHECK(result.cycles.min_per_hash > 0);
    CHECK(result.cycles.min_per_hash <= result.cycles.avg_per_hash());
    CHECK(result.cycles.avg_per_hash() <= result.cycles.max_per_hash);
}

TEST_CASE("candidates of all slices are appended to what the result holds already") {
    const auto device = scripted_device();
    script.hits_per_slice = 2;
    ScanResult result;
    result.candidates.push({3, 33});
    device->scan(job_for(1), {1000, 20000}, result);
    REQUIRE(script.slices.size() >= 2);
    REQUIRE(result.candidates.items().size() == 1 + 2 * script.slices.size());
    CHECK(result.candidates.items()[0] == Candidate{3, 33});
    CHECK(result.candidates.items()[1] == Candidate{0, 1000});
    CHECK(result.candidates.items()[2] == Candidate{0, 1001});
    CHECK(result.candidates.items()[3] == Candidate{0, script.slices[1].first});
    CHECK_FALSE(result.candidates.overflow());
}

TEST_CASE("a full slice fits, one candidate more overflows, and nothing further is scanned") {
    const auto device = scripted_device();
    ScanResult result;
    script.hits_per_slice = Candidates::kCapacity;
    device->scan(job_for(1), {0, 256}, result);
    CHECK_FALSE(result.candidates.overflow());
    CHECK(result.candidates.items().size() == Candidates::kCapacity);

    for (const std::uint64_t hits : {Candidates::kCapacity + 1, 10 * Candidates::kCapacity}) {
        script.slices.clear();
        script.hits_per_slice = hits;
        result.clear();
        device->scan(job_for(1), {0, 1'000'000}, result);
        CHECK(result.candidates.overflow());
        CHECK(script.slices.size() == 1);
    }
}

TEST_CASE("many candidates in several slices overflow as well") {
    const auto device = scripted_device();
    script.hits_per_slice = Candidates::kCapacity / 2;
    ScanResult result;
    device->scan(job_for(1), {0, 1'000'000}, result);
    CHECK(result.candidates.overflow());
    CHECK(script.slices.size() == 3);
}

TEST_CASE("the batch follows the speed, in steps of at most two") {
    const auto device = scripted_device();
    const Sha256dJob job = job_for(1);
    ScanResult result;
    std::uint64_t batch = device->batch();
    const std::uint64_t large = batch << 10;
    while (batch < large) {  // scans that take no time to speak of, but where the machine does something else meanwhile
        device->scan(job, {0, batch}, result);
        REQUIRE(device->batch() <= 2 * batch);
        REQUIRE(device->batch() >= batch / 2);
        batch = device->batch();
    }
    script.delay = std::chrono::milliseconds(5);  // a slice; there are many in a batch
    device->scan(job, {0, batch}, result);
    CHECK(device->batch() == batch / 2);
}

TEST_CASE("the batch counts hashes, not nonces") {
    bool larger = false;
    while (!larger) {  // where the machine does something else meanwhile, it is not
        const auto device = scripted_device();
        ScanResult result;
        const std::uint64_t batch = device->batch();
        // With 64 versions this is a large scan; with one it were too small to be measured.
        device->scan(job_for(64), {0, 1000}, result);
        larger = device->batch() == 2 * batch;
    }
}

TEST_CASE("a small scan is no measurement, and the batch never becomes tiny") {
    const auto device = scripted_device();
    ScanResult result;
    const std::uint64_t batch = device->batch();
    device->scan(job_for(1), {0, 4095}, result);
    CHECK(device->batch() == batch);
    script.delay = std::chrono::milliseconds(5);
    for (int i = 0; i < 5; ++i) device->scan(job_for(1), {0, 4096}, result);
    CHECK(device->batch() == 4096);
}

TEST_CASE("an intensity fixes the batch") {
    DeviceOptions options;
    options.intensity = 14;
    const auto device = scripted_device(options);
    ScanResult result;
    for (int i = 0; i < 3; ++i) {
        CHECK(device->batch() == 1u << 14);
        device->scan(job_for(1), {0, 1u << 14}, result);
    }
}

TEST_CASE("attaching pins the calling thread and lowers its priority, and no other's") {
    const auto priority = [] { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); };
    const int before = priority();
    const unsigned hardware_thread = cpu::usable_hardware_threads().back();
    const std::array<int, 2> nice_values = {19, 10};  // --cpu-priority 0 and 1; higher ones need a privilege
    for (unsigned level = 0; level < nice_values.size(); ++level) {
        DeviceOptions options;
        options.cpu_priority = level;
        const auto device = cpu::make_device(kScripted, {}, hardware_thread, options);
        int attached = before;
        std::thread([&] {
            device->attach_thread();
            attached = priority();
        }).join();
        // Whoever runs this at a lower priority already may not be allowed to raise it.
        CHECK((attached == nice_values[level] || (before > nice_values[level] && attached == before)));
    }
    CHECK(priority() == before);
}

TEST_CASE("a worker leaves real-time scheduling, or steps back in it if a priority above normal is asked for") {
    struct Scheduling {
        int policy, priority;
        bool operator==(const Scheduling&) const = default;
    };
    bool permitted = false;
    /// A worker's, on a thread at this real-time priority.
    const auto scheduling = [&](int real_time_priority, unsigned cpu_priority) {
        Scheduling result{};
        std::thread([&] {
            const sched_param real_time{.sched_priority = real_time_priority};
            permitted = sched_setscheduler(0, SCHED_RR, &real_time) == 0;
            DeviceOptions options;
            options.cpu_priority = cpu_priority;
            cpu::make_device(kScripted, {}, cpu::usable_hardware_threads().back(), options)->attach_thread();
            sched_param now{};
            sched_getparam(0, &now);
            result = {sched_getscheduler(0), now.sched_priority};
        }).join();
        return result;
    };
    const Scheduling normal = scheduling(10, 1), high = scheduling(10, 3), lowest = scheduling(1, 3);
    if (!permitted) {
        std::cout << "SKIPPED: real-time scheduling needs a privilege that this process does not have" << std::endl;
        return;
    }
    CHECK(normal == Scheduling{SCHED_OTHER, 0});
    // The thread that hears signals keeps its 10, and so comes before the worker.
    CHECK(high == Scheduling{SCHED_RR, 9});
    CHECK(lowest == Scheduling{SCHED_OTHER, 0});
}

TEST_CASE("a worker never raises a priority that was lowered before") {
    int attached = 0;
    std::thread([&] {
        REQUIRE(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19) == 0);
        scripted_device()->attach_thread();  // the default priority stands for a nice value of 10
        attached = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
    }).join();
    CHECK(attached == 19);
}
