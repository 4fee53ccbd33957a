#include "cpu/thread_device.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "cpu/machine/cpu_model.hpp"
#include "cpu/machine/topology.hpp"
#include "host/thread_priority.hpp"

namespace gpuminer::cpu {
namespace {

/// Less than the 50 ms of a GPU: units cost a CPU nothing, and on a loaded machine, where a thread of low priority
/// gets a small share of the time, stopping has to wait for one.
constexpr double kBatchSeconds = 0.005;
constexpr std::uint64_t kSmallestBatch = 1 << 12;
/// Slices per batch: each is timed by itself, at a cost of some 30 cycles in several hundred thousand.
constexpr std::uint64_t kSlicesPerBatch = 8;

/// Operating-system numbers of the hardware threads to use or to list, in order.
std::vector<unsigned> choose_threads(const DeviceOptions& options) {
    std::vector<unsigned> usable = usable_hardware_threads();
    if (options.cpu_affinity.empty()) return usable;
    for (const unsigned wanted : options.cpu_affinity) {
        if (std::find(usable.begin(), usable.end(), wanted) != usable.end()) continue;
        std::string numbers;
        for (const unsigned number : usable) numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
        throw InputError("--cpu-affinity takes hardware threads that this process may use (" + numbers + "), not " +
                         std::to_string(wanted));
    }
    return options.cpu_affinity;
}

}  // namespace

ThreadDevice::ThreadDevice(DeviceInfo info, unsigned hardware_thread, const DeviceOptions& options,
                           std::uint64_t smallest_slice)
    : info_(std::move(info)),
      hardware_thread_(hardware_thread),
      priority_(options.cpu_priority),
      smallest_slice_(smallest_slice),
      fixed_batch_(options.intensity.has_value()) {
    if (fixed_batch_) batch_ = std::uint64_t{1} << *options.intensity;
}

void ThreadDevice::attach_thread() {
    (void)pin_this_thread(hardware_thread_);
    set_cpu_thread_priority(priority_);
}

void ThreadDevice::scan(const ScanJob& job, NonceRange range, ScanResult& result) {
    const auto start = Clock::now();
    const std::uint64_t versions = job.versions().size();
    const std::uint64_t slice = std::max(batch_ / kSlicesPerBatch / versions, smallest_slice_);
    const std::uint64_t before = scan_before(job, range, result);
    std::uint64_t done = before;
    while (done < range.count && !result.candidates.overflow()) {
        const std::uint64_t count = std::min(slice, range.count - done);
        count_slice(job, {static_cast<std::uint32_t>(range.first + done), count}, result);
        done += count;
    }
    if (before == 0) tune(done * versions, Clock::now() - start);
}

void ThreadDevice::count_slice(const ScanJob& job, NonceRange slice, ScanResult& result) {
    const std::uint64_t start = counts_cycles_ ? read_cycle_counter() : 0;
    scan_slice(job, slice, result);
    if (!counts_cycles_) return;
    const std::uint64_t cycles = read_cycle_counter() - start, hashes = slice.count * job.versions().size();
    result.cycles.add_slice(cycles, hashes);
    if (result.interruptions != nullptr) result.interruptions->add_slice(cycles, hashes);
}

// Follows the measured rate in steps of at most two, so that one interruption does not upset it.
void ThreadDevice::tune(std::uint64_t hashes, std::chrono::duration<double> seconds) {
    if (fixed_batch_ || hashes < kSmallestBatch || seconds.count() <= 0) return;
    const double wanted = static_cast<double>(hashes) / seconds.count() * kBatchSeconds;
    const auto current = static_cast<double>(batch_);
    batch_ = std::max(kSmallestBatch, static_cast<std::uint64_t>(std::clamp(wanted, current / 2, current * 2)));
}

std::vector<Probe> thread_probes(const DeviceOptions& options, std::string_view kind, std::string_view description) {
    const std::vector<unsigned> threads = choose_threads(options);
    const auto available = static_cast<unsigned>(threads.size());
    const unsigned by_default = options.threads ? *options.threads
                                : options.cpu_affinity.empty()
                                    ? default_thread_count(available, options.threads_left_free)
                                    : available;
    const std::string model = cpu_model();
    std::vector<Probe> probes;
    for (unsigned i = 0; i < std::max(available, by_default); ++i) {  // more threads than hardware: they share
        Probe probe;
        probe.info.backend = kCpuBackendName;
        probe.info.kind = kind;
        probe.info.name = device_name(kCpuBackendName, kind, i);
        probe.info.model = model;
        probe.info.description = description;
        probe.used_by_default = i < by_default;
        if (!probe.used_by_default) probe.reason = "left free for the system; use -t or -d to use it as well";
        probe.index = threads[i % available];
        probes.push_back(std::move(probe));
    }
    return probes;
}

}  // namespace gpuminer::cpu
