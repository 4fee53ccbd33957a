// Interruptions of a search: the device that notes them, and how reports show them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/document/document.hpp"
#include "bench/workloads/open_devices.hpp"
#include "host/interruptions.hpp"

namespace gpuminer::bench {

/// Notes its slices that take longer than usual, where its cycles are counted.
class NotingDevice final : public SharedDevice {
public:
    using SharedDevice::SharedDevice;
    void scan(const ScanJob& job, NonceRange range, ScanResult& result) override;

    Interruptions interruptions;  ///< to be touched while no search runs
};
using NotingDevices = std::vector<std::shared_ptr<NotingDevice>>;

void begin_interruptions(const NotingDevices& devices);
/// Of all devices, since then.
[[nodiscard]] Interruptions::Rows take_interruptions(const NotingDevices& devices);

/// An array of "from_seconds" (by how much longer than the median slices took, up to the next one's), "slices" and
/// "seconds" (by which they took longer, all together).
[[nodiscard]] Json interruptions_json(const Interruptions::Rows& rows);
/// A table; `there`: of the same search without an operating system.
[[nodiscard]] std::string interruptions_text(const Interruptions::Rows& here,
                                             const std::optional<Interruptions::Rows>& there, std::size_t columns);

}  // namespace gpuminer::bench
