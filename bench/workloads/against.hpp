// Linux beside no operating system: `gpuminer bench pseudo-miner --against GPUMINER.CSV`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/document/bare_metal.hpp"
#include "bench/document/document.hpp"
#include "host/backend.h"
#include "host/search/search_types.hpp"
#include "host/text/table.hpp"

namespace gpuminer::bench {

/// As many CPU threads as the report has, with the form of the search that it ran, by the compiler and with the flags
/// of BOOTX64.EFI, timed in the same slices. Throws InputError where this build has no such form, NoDeviceError where
/// this CPU cannot run it.
[[nodiscard]] std::vector<std::shared_ptr<Device>> threads_like(const BareMetalReport& there,
                                                                const DeviceOptions& options);

/// Both side by side, as the original's tables have it, and what differs. `here`: of the same job, with those options.
[[nodiscard]] std::string against_text(const BareMetalReport& there, const SearchReport& here,
                                       const DeviceOptions& options, std::size_t columns = kUnlimitedColumns);

/// The same figures: "bare_metal" and "linux", each with "compiler", "flags", "cpu", "seconds", "avg", "max", "min"
/// (cycles per hash), "cycles" and "counter_hz"; of Linux also "cpu_priority".
[[nodiscard]] Json against_details(const BareMetalReport& there, const SearchReport& here,
                                   const DeviceOptions& options);

}  // namespace gpuminer::bench
