// A device that is a thread of this machine, whatever it computes: its place, its priority, and how much it takes at a
// time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cpu/machine/cycle_counter.hpp"
#include "host/backend.h"

namespace gpuminer::cpu {

class ThreadDevice : public Device {
public:
    [[nodiscard]] const DeviceInfo& info() const final { return info_; }
    [[nodiscard]] std::uint64_t batch() const final { return batch_; }
    [[nodiscard]] bool can_hang() const final { return false; }
    void attach_thread() final;
    void scan(const ScanJob& job, NonceRange range, ScanResult& result) final;

protected:
    using Clock = std::chrono::steady_clock;

    /// `hardware_thread`: operating-system number, to which attach_thread() binds the caller. `smallest_slice`: hashes
    /// that are not worth dividing.
    ThreadDevice(DeviceInfo info, unsigned hardware_thread, const DeviceOptions& options, std::uint64_t smallest_slice);

    /// Appends the candidates of a slice. Its time is counted.
    virtual void scan_slice(const ScanJob& job, NonceRange slice, ScanResult& result) = 0;
    /// What is to be done before a range is cut into slices: how many of its first nonces that has searched already.
    /// Then the batch stays as it is.
    virtual std::uint64_t scan_before(const ScanJob& /*job*/, NonceRange /*range*/, ScanResult& /*result*/) {
        return 0;
    }

private:
    void count_slice(const ScanJob& job, NonceRange slice, ScanResult& result);
    void tune(std::uint64_t hashes, std::chrono::duration<double> seconds);

    const DeviceInfo info_;
    const unsigned hardware_thread_;
    const unsigned priority_;
    const std::uint64_t smallest_slice_;
    const bool fixed_batch_;
    const bool counts_cycles_ = have_cycle_counter();
    std::uint64_t batch_ = 1 << 16;
};

/// Those that `options` choose, then the others, which are not used by default, each with the name of this kind of
/// device. Throws InputError for --cpu-affinity.
[[nodiscard]] std::vector<Probe> thread_probes(const DeviceOptions& options, std::string_view kind,
                                               std::string_view description);

}  // namespace gpuminer::cpu
