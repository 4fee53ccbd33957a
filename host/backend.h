// The interface between the host and the backends, which compute hashes. A backend never prints, sleeps, submits or
// retries; it scans nonces and returns candidates.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/cycle_stats.hpp"
#include "host/errors.hpp"
#include "host/interruptions.hpp"
#include "kernel/scan_job.hpp"

namespace gpuminer {

struct Algorithm;  // host/block/algorithm.hpp
extern const Algorithm kSha256d;

struct ScanResult {
    Candidates candidates;
    CycleStats cycles;  ///< stays empty where nothing counts cycles
    std::string news;   ///< one clause for the user, which follows the device's name; empty: nothing new
    Interruptions* interruptions =
        nullptr;  ///< where slices whose cycles are counted are added one by one; null: nowhere

    void clear() {
        candidates.clear();
        cycles = {};
        news.clear();
    }
};

/// The backend whose devices are this machine's own threads: always there, first, and quick to answer.
inline constexpr std::string_view kCpuBackendName = "cpu";

struct DeviceInfo {
    std::string name;                ///< unique, as users type it: "cpu:avx512#0", "cuda:sm_90#0", "opencl:cpu#1"
    std::string backend;             ///< "cpu", "cuda", …
    std::string model;               ///< "Intel(R) Xeon(R) …"
    std::string driver;              ///< its name and version; empty where there is none
    std::uint64_t memory_bytes = 0;  ///< 0: not applicable
    unsigned units = 1;              ///< multiprocessors, compute units; 1 for a CPU thread
    std::string description = {};    ///< how it works, in a few words: "16 nonces per vector"
    std::string api_version = {};    ///< of the API that reaches it: "OpenCL 3.0"; empty: none
    unsigned clock_mhz = 0;          ///< highest core clock that the driver states; 0: unknown
    std::string pci = {};            ///< "0000:01:00.0"; empty: unknown or none
    std::string uuid = {};           ///< 32 lower-case hex digits, the same through every API; empty: unknown
    bool software = false;           ///< a GPU API that runs on the CPU (PoCL, lavapipe)
    std::string code = {};           ///< where there are several kinds: "machine code for sm_90"; empty: not so
    std::string kind = {};           ///< "avx512", "sm_90", "gpu", …; empty: unknown, or no device
    const Algorithm* algorithm = &kSha256d;  ///< that it computes

    [[nodiscard]] bool is_cpu() const { return backend == kCpuBackendName; }
};

/// "cuda:sm_90#0": what DeviceInfo::name is made of.
[[nodiscard]] inline std::string device_name(std::string_view backend, std::string_view kind, unsigned number) {
    return std::string(backend) + ":" + std::string(kind) + "#" + std::to_string(number);
}

/// One GPU, or one CPU worker thread. Used by one thread at a time.
class Device {
public:
    virtual ~Device() = default;
    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    [[nodiscard]] virtual const DeviceInfo& info() const = 0;
    /// Called on each thread that is going to call scan(), one such thread at a time: pinning, priority, GPU context.
    virtual void attach_thread() {}
    /// Hashes (nonces × versions) that take about 50 ms, or less; tuned by the device itself as it runs.
    [[nodiscard]] virtual std::uint64_t batch() const = 0;
    /// Appends every candidate of the range, for every version of the job, which is one of its algorithm. Throws
    /// DeviceError.
    virtual void scan(const ScanJob& job, NonceRange range, ScanResult& result) = 0;
    /// Whether a scan that does not return within seconds means that the device hangs. A CPU thread cannot hang,
    /// it can only be starved.
    [[nodiscard]] virtual bool can_hang() const { return true; }
};

/// How a CPU thread's form of the search is chosen, among those that --isa allows.
enum class FormChoice : std::uint8_t {
    kTimed,    ///< as timed on an earlier start, or now
    kWatched,  ///< the same, and the others are timed again on the work itself
    kUntimed   ///< as timed on an earlier start, or the most capable instruction set
};

/// What the user asked of devices (`-t`, `--isa`, …); each backend reads what concerns it.
struct DeviceOptions {
    bool software = true;                     ///< false: software devices need not be listed, nobody would use one
    std::optional<unsigned> threads = {};     ///< CPU threads; default: usable hardware threads but for those left free
    unsigned threads_left_free = 1;           ///< hardware threads left to the system where `threads` is empty
    std::string isa = "auto";                 ///< CPU instruction set
    std::vector<unsigned> cpu_affinity = {};  ///< hardware threads (OS numbers) to pin to; empty: choose
    unsigned cpu_priority = 1;                ///< 0 idle … 2 normal … 5 highest
    std::optional<unsigned> intensity = {};   ///< batch 2^N hashes instead of a tuned one
    std::string cuda_code = "auto";           ///< "auto", "machine" or "ptx"
    bool retune = false;                      ///< measure again, whatever is remembered
    FormChoice form_choice = FormChoice::kTimed;
    double tuning_seconds = 3;  ///< GPUs: no new variant is tried later than this; 0: the first that works
};

/// A device that a backend can see, usable or not.
struct Probe {
    DeviceInfo info;
    bool usable = true;
    bool used_by_default = true;  ///< false: only when named (the hardware thread left to the system, …)
    std::string reason;           ///< why it is not usable or not used by default, and the remedy
    unsigned index = 0;           ///< the backend's own number of it
    /// GPUs: hashes per second that its remembered tuning measured; 0: not tuned yet. Among several APIs for one
    /// GPU the fastest is used.
    double tuned_rate = 0;
};

/// One row of the list of backends.
struct Backend {
    const char* name;  ///< not the only one of it where there is one for another algorithm
    /// Every device it can see. Throws InputError for options that make no sense, NoDeviceError where a
    /// forced choice (--isa) cannot run here. A GPU API without a device, or without a driver, gives one unusable
    /// probe named like the backend ("cuda") with the reason and the remedy.
    std::vector<Probe> (*probe)(const DeviceOptions&);
    std::unique_ptr<Device> (*open)(const Probe&, const DeviceOptions&);
    const Algorithm* algorithm = &kSha256d;  ///< that its devices compute

    [[nodiscard]] bool is_cpu() const { return name == kCpuBackendName; }
};

}  // namespace gpuminer
