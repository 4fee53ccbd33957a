#include "tests/simulation/search_world.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>

#include "host/block/checker.hpp"
#include "host/errors.hpp"

namespace gpuminer::simulation {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

World* current_world = nullptr;

DevicePlan draw_plan(Random& random) {
    using Opening = DevicePlan::Opening;
    using Start = DevicePlan::Start;
    DevicePlan plan;
    plan.backend = static_cast<unsigned>(random.below(3));
    plan.can_hang = plan.backend != 0 && !random.one_in(4);
    plan.batch = random.spread(16, 20'000);
    plan.per_hash = std::chrono::nanoseconds(random.spread(3'000'000, 30'000'000) / plan.batch);
    if (random.one_in(100)) plan.overflows_above = random.one_in(4) ? 0 : random.spread(10, 1000);
    if (random.one_in(20)) plan.opening = random.one_of(Opening::kLate, Opening::kThrows, Opening::kNothing);
    if (random.one_in(20))
        plan.start = random.one_of(Start::kLate, Start::kThrows, Start::kThrowsInAttach, Start::kWrong);
    if (random.one_in(20) && plan.can_hang) plan.start = random.one_of(Start::kHangs, Start::kHangsInAttach);
    if (random.one_in(20)) plan.opening = Opening::kHangs;
    if (random.percent(40)) return plan;  // a good one
    const auto now_and_then = [&random](unsigned devices, unsigned most) {
        return random.percent(devices) ? static_cast<unsigned>(random.between(1, most)) : 0;
    };
    plan.fails = now_and_then(30, 20);
    plan.hangs = now_and_then(30, 20);
    plan.slow = now_and_then(30, 20);
    plan.lies = now_and_then(40, 50);
    plan.omits = now_and_then(30, 100);
    plan.repeats = now_and_then(20, 100);
    return plan;
}

class SimulatedDevice final : public Device {
public:
    SimulatedDevice(World& world, std::size_t number)
        : world_(world), scheduler_(world.scheduler()), random_(scheduler_.random()), plan_(world.plans()[number]) {
        info_.name = World::name(number);
        info_.backend = World::backends()[plan_.backend]->name;
        ++world_.open_devices;
    }
    ~SimulatedDevice() override { --world_.open_devices; }

    const DeviceInfo& info() const override { return info_; }
    std::uint64_t batch() const override { return plan_.batch; }
    bool can_hang() const override { return plan_.can_hang; }
    void attach_thread() override {
        if (plan_.start == DevicePlan::Start::kThrowsInAttach) throw DeviceError("its thread cannot be pinned");
        if (plan_.start == DevicePlan::Start::kHangsInAttach) world_.hang();
    }

    void scan(const ScanJob& any, NonceRange range, ScanResult& result) override {
        const auto& job = any.as<Sha256dJob>();
        if (std::exchange(inside_, true)) scheduler_.fail("two threads are in one device");
        struct Leave {
            bool& inside;
            ~Leave() { inside = false; }
        } const leave{inside_};
        const Row* const row = Answers::get().row(job, 0);
        if (row == nullptr) return test_itself(job, range, result);
        const std::size_t number = records().size();
        ScanRecord& record = records().emplace_back();
        record.header = row->header;
        record.first_version = job.versions()[0];
        record.versions = static_cast<std::uint32_t>(job.versions().size());
        record.range = range;
        record.began = scheduler_.now();
        work(records()[number]);
        answer(job, records()[number], result);
    }

private:
    std::vector<ScanRecord>& records() { return world_.scans[info_.name]; }
    bool happens(unsigned percent) { return !world_.calm() && percent > 0 && random_.percent(percent); }

    void test_itself(const Sha256dJob& job, NonceRange range, ScanResult& result) {
        using Start = DevicePlan::Start;
        scheduler_.pass();
        if (plan_.start == Start::kLate && happens(25)) scheduler_.sleep(milliseconds(random_.below(200)));
        if (plan_.start == Start::kHangs && happens(25)) world_.hang();
        if (plan_.start == Start::kThrows && happens(25)) throw DeviceError("its memory is full");
        for (const Candidate& candidate : Answers::get().self_test(job, range)) result.candidates.push(candidate);
        if (plan_.start == Start::kWrong) result.candidates.push({0, range.first});
    }

    void work(const ScanRecord& record) {
        scheduler_.sleep(microseconds(5) + record.hashes() * plan_.per_hash);
        const bool too_slow = plan_.can_hang && !world_.patient();
        if (happens(plan_.slow)) scheduler_.sleep(milliseconds(random_.between(1, too_slow ? 400 : 100)));
        if (happens(plan_.hangs) && plan_.can_hang) hang();
        if (!happens(plan_.fails)) return;
        if (random_.one_in(4)) throw 42;  // as no device should
        throw DeviceError("it was unplugged");
    }

    void hang() {
        if (world_.patient()) return;
        if (random_.one_in(3)) return world_.hang();
        if (random_.one_in(2)) return scheduler_.sleep(milliseconds(random_.between(100, 1000)));
        // Until something else is due, at the same moment: that may be the fleet, which looks whether a device hangs.
        while (!random_.one_in(10)) scheduler_.sleep_until(scheduler_.next_time().value_or(scheduler_.now()));
    }

    void answer(const Sha256dJob& job, ScanRecord& record, ScanResult& result) {
        if (record.range.count > plan_.overflows_above) {
            record.overflow = true;
            while (!result.candidates.overflow()) result.candidates.push({0, record.range.first});
            return;
        }
        const bool any = job.target_top() != 0;  // else the search is one that finds nothing
        for (std::uint32_t v = 0; any && v < record.versions; ++v) {
            for (const std::uint32_t nonce : Answers::get().row(job, v)->hits_in(record.range)) {
                if (happens(plan_.omits)) {
                    record.omitted.emplace_back(job.versions()[v], nonce);
                    continue;
                }
                for (int times = happens(plan_.repeats) ? 2 : 1; times > 0; --times) {
                    record.reported.emplace_back(job.versions()[v], nonce);
                    result.candidates.push({v, nonce});
                }
            }
        }
        if (happens(plan_.lies)) lie(job, record, result);
        record.returned = true;
        record.ended = scheduler_.now();
    }

    void lie(const Sha256dJob& job, ScanRecord& record, ScanResult& result) {
        for (auto count = random_.one_in(4) ? random_.between(2, 4) : 1; count > 0; --count) {
            const auto any = static_cast<std::uint32_t>(record.range.first + random_.below(record.range.count));
            const auto after = static_cast<std::uint32_t>(record.range.first + record.range.count);  // may wrap
            Candidate wrong{static_cast<std::uint32_t>(random_.below(record.versions)), any};
            if (random_.one_in(8)) wrong.version_index = record.versions + static_cast<std::uint32_t>(random_.below(3));
            if (random_.one_in(8) && record.range.count <= 0xffffffff)
                wrong.nonce = random_.one_in(2) ? after : record.range.first - 1;
            if (wrong.nonce == any && wrong.version_index < record.versions) {
                const Row& row = *Answers::get().row(job, wrong.version_index);
                if (check(row.solved_but_for_nonce.with_nonce(any), Answers::target()).verdict != Verdict::wrong)
                    continue;
            }
            result.candidates.push(wrong);
            ++record.wrong;
        }
    }

    World& world_;
    Scheduler& scheduler_;
    Random& random_;
    const DevicePlan plan_;
    DeviceInfo info_;
    bool inside_ = false;
};

std::unique_ptr<Device> open(const Probe& probe, const DeviceOptions&) {
    using Opening = DevicePlan::Opening;
    World& world = World::current();
    Scheduler& scheduler = world.scheduler();
    const DevicePlan& plan = world.plans()[probe.index];
    if (plan.opening == Opening::kLate || plan.opening == Opening::kThrows)
        scheduler.sleep(milliseconds(scheduler.random().below(300)));
    if (plan.opening == Opening::kHangs && plan.backend != 0) world.hang();
    if (plan.opening == Opening::kThrows) throw DeviceError("another program has it");
    if (plan.opening == Opening::kNothing && plan.backend != 0) return nullptr;
    return std::make_unique<SimulatedDevice>(world, probe.index);
}

std::vector<Probe> probes_of(unsigned backend) {
    World& world = World::current();
    Scheduler& scheduler = world.scheduler();
    Random& random = scheduler.random();
    if (backend != 0) {
        if (random.one_in(10)) scheduler.sleep(milliseconds(random.below(400)));
        if (random.one_in(30)) world.hang();
        if (random.one_in(30)) throw DeviceError("its driver is of another version");
    }
    std::vector<Probe> probes;
    for (std::size_t device = 0; device < world.plans().size(); ++device) {
        if (world.plans()[device].backend != backend) continue;
        Probe& probe = probes.emplace_back();
        probe.index = static_cast<unsigned>(device);
        probe.info.name = World::name(device);
        probe.info.backend = World::backends()[backend]->name;
    }
    return probes;
}

std::vector<Probe> probe_cpu(const DeviceOptions&) { return probes_of(0); }
std::vector<Probe> probe_first(const DeviceOptions&) { return probes_of(1); }
std::vector<Probe> probe_second(const DeviceOptions&) { return probes_of(2); }

constexpr Backend kCpuBackend{"cpu", probe_cpu, open};
constexpr Backend kFirstBackend{"first", probe_first, open};
constexpr Backend kSecondBackend{"second", probe_second, open};
constexpr std::array<const Backend*, 3> kSimulatedBackends{&kCpuBackend, &kFirstBackend, &kSecondBackend};

}  // namespace

World::World(Scheduler& scheduler, bool patient) : scheduler_(scheduler), patient_(patient) {
    if (std::exchange(current_world, this) != nullptr) std::abort();
    Random& random = scheduler_.random();
    const std::size_t devices = random.between(1, random.one_in(4) ? 6 : 3);
    while (plans_.size() < devices) plans_.push_back(draw_plan(random));
}

World::~World() { current_world = nullptr; }

World& World::current() { return *current_world; }

std::string World::name(std::size_t device) { return "device#" + std::to_string(device); }

Backends World::backends() { return kSimulatedBackends; }

std::vector<std::unique_ptr<Device>> World::open_all() {
    std::vector<std::unique_ptr<Device>> devices;
    for (std::size_t i = 0; i < plans_.size(); ++i) devices.push_back(std::make_unique<SimulatedDevice>(*this, i));
    return devices;
}

std::uint64_t World::smallest_batch() const { return std::ranges::min(plans_, {}, &DevicePlan::batch).batch; }

void World::print_scans() const {
    for (const auto& [name, all] : scans) {
        for (const ScanRecord& scan : all) {
            std::cerr << name << ": header " << scan.header << ", " << scan.versions << " versions from " << std::hex
                      << scan.first_version << std::dec << ", " << scan.range.count << " nonces from "
                      << scan.range.first << "; began " << scan.began.time_since_epoch().count()
                      << (scan.returned ? ", returned" : "") << ", " << scan.reported.size() << " hits, "
                      << scan.omitted.size() << " omitted, " << scan.wrong << " wrong candidates" << std::endl;
        }
    }
}

void World::hang() {
    if (patient_) return;
    while (!released_) scheduler_.wait(&released_);
}

void World::release() {
    released_ = true;
    calm_ = true;
    scheduler_.wake_all(&released_);
}

}  // namespace gpuminer::simulation
