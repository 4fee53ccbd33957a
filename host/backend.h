// The one interface between the host and whatever computes hashes. A backend never prints, sleeps,
// submits or retries; it scans nonces and says what it found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/errors.hpp"
#include "kernel/scan_job.hpp"

namespace gpuminer {

/// Reference cycles (rdtscp) per hash, measured over slices of a scan. Only CPU devices have them.
struct CycleStats {
    std::uint64_t cycles = 0;
    std::uint64_t hashes = 0;
    double min_per_hash = std::numeric_limits<double>::infinity();
    double max_per_hash = 0;

    [[nodiscard]] bool empty() const { return hashes == 0; }
    [[nodiscard]] double avg_per_hash() const { return static_cast<double>(cycles) / static_cast<double>(hashes); }
    void add_slice(std::uint64_t slice_cycles, std::uint64_t slice_hashes) {
        if (slice_hashes == 0) return;
        const double per_hash = static_cast<double>(slice_cycles) / static_cast<double>(slice_hashes);
        cycles += slice_cycles;
        hashes += slice_hashes;
        min_per_hash = std::min(min_per_hash, per_hash);
        max_per_hash = std::max(max_per_hash, per_hash);
    }
    void merge(const CycleStats& other) {
        cycles += other.cycles;
        hashes += other.hashes;
        min_per_hash = std::min(min_per_hash, other.min_per_hash);
        max_per_hash = std::max(max_per_hash, other.max_per_hash);
    }
};

struct ScanResult {
    Candidates candidates;
    CycleStats cycles;  ///< stays empty where nothing counts cycles

    void clear() {
        candidates.clear();
        cycles = {};
    }
};

struct DeviceInfo {
    std::string name;                ///< unique, as users type it: "cpu:avx512#0"
    std::string backend;             ///< "cpu", "cuda", …
    std::string model;               ///< "Intel(R) Xeon(R) …"
    std::string driver;              ///< empty where there is none
    std::uint64_t memory_bytes = 0;  ///< 0: not applicable
    unsigned units = 1;              ///< multiprocessors, compute units; 1 for a CPU thread
    std::string description = {};    ///< how it works, in a few words: "16 nonces per vector"
};

/// One GPU, or one CPU worker thread. Used by one thread at a time.
class Device {
public:
    virtual ~Device() = default;
    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    [[nodiscard]] virtual const DeviceInfo& info() const = 0;
    /// Called once on the thread that will call scan(): pinning, priority, GPU context.
    virtual void attach_thread() {}
    /// Hashes (nonces × versions) that take about 50 ms, or less; tuned by the device itself as it runs.
    [[nodiscard]] virtual std::uint64_t batch() const = 0;
    /// Appends every candidate of the range, for every version of the job. Throws DeviceError.
    virtual void scan(const ScanJob& job, NonceRange range, ScanResult& result) = 0;
};

/// What the user asked of devices (`-t`, `--isa`, …); each backend reads what concerns it.
struct DeviceOptions {
    std::optional<unsigned> threads;     ///< CPU threads; default: usable hardware threads minus one
    std::string isa = "auto";            ///< CPU instruction set
    std::vector<unsigned> cpu_affinity;  ///< hardware threads (OS numbers) to pin to; empty: choose
    unsigned cpu_priority = 1;           ///< 0 idle … 2 normal … 5 highest
    std::optional<unsigned> intensity;   ///< batch 2^N hashes instead of a tuned one
};

/// A device that a backend can see, usable or not.
struct Probe {
    DeviceInfo info;
    bool usable = true;
    bool used_by_default = true;  ///< false: only when named (the hardware thread left to the system, …)
    std::string reason;           ///< why it is not usable or not used by default, and the remedy
    unsigned index = 0;           ///< the backend's own number of it
};

/// One row of the list of backends.
struct Backend {
    const char* name;
    /// Every device it can see. Throws InputError for options that make no sense, NoDeviceError where a
    /// forced choice (--isa) cannot run here.
    std::vector<Probe> (*probe)(const DeviceOptions&);
    std::unique_ptr<Device> (*open)(const Probe&, const DeviceOptions&);
};

}  // namespace gpuminer
