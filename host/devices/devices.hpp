// List of the devices of this machine, and the choice among them.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "host/backend.h"
#include "host/devices/times.hpp"

namespace gpuminer {

/// The backends that a program has, in the order in which their devices are numbered.
using Backends = std::span<const Backend* const>;
/// Those of this program. (cli/backends.cpp, which each program compiles with its own list.)
[[nodiscard]] Backends built_in_backends();

struct DeviceSelection {
    std::vector<std::string> backends{"auto"};  ///< names; "auto" stands for all that are built in
    const Algorithm* algorithm = &kSha256d;     ///< that devices are to compute
    std::vector<std::string> devices;           ///< names, numbers or backends; empty: those used by default
    DeviceOptions options;
};

/// A device, or the one line that says why a backend has none.
struct ListedDevice {
    std::optional<unsigned> number = {};  ///< for `-d`; its place among all devices. Empty: its backend is not built in
    const Backend* backend = nullptr;     ///< null: not built in
    Probe probe;
    unsigned rank = 0;  ///< devices in the order of ranks are in the order of numbers
};

/// Every device of the chosen backends, usable or not, after the answer of each. With devices named that the CPU
/// backend has, no other one is asked. Throws InputError for a backend that does not exist, and what the CPU backend
/// throws.
[[nodiscard]] std::vector<ListedDevice> list_devices(Backends backends, const DeviceSelection& selection,
                                                     std::chrono::milliseconds patience = FleetTimes{}.probe);

/// The devices with these names (in any case) or numbers, or of these backends, each once. Throws InputError for what
/// nothing has, NoDeviceError for one that cannot be used.
[[nodiscard]] std::vector<ListedDevice> find_devices(const std::vector<ListedDevice>& listed,
                                                     const std::vector<std::string>& wanted);

// The steps of list_devices(), for callers that do not wait:

/// Throws InputError for a name that is none of a backend.
void require_known(const DeviceSelection& selection);
/// Those that the user chose, for the algorithm that is to be computed.
[[nodiscard]] std::vector<const Backend*> chosen_backends(Backends backends, const DeviceSelection& selection);
/// A line for each that the user chose and this program lacks for that algorithm.
[[nodiscard]] std::vector<ListedDevice> missing_backends(Backends backends, const DeviceSelection& selection);
/// Whether --backend has this name itself, not only "auto".
[[nodiscard]] bool names_backend(const DeviceSelection& selection, const std::string& backend);
/// What a backend answered, with ranks and without numbers.
[[nodiscard]] std::vector<ListedDevice> listed_of(Backends backends, const Backend& backend, std::vector<Probe> probes);
/// Decides which are used by default. Software devices are not, unless --backend names their backend and it has
/// no usable real device. One GPU seen through several APIs is used once: through the one in `in_use` (names),
/// or else through the fastest, if all have been tuned here, or else through the first API.
void decide_use(std::vector<ListedDevice>& listed, const DeviceSelection& selection,
                const std::set<std::string>& in_use = {});

}  // namespace gpuminer
