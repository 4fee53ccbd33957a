// The devices of this machine, and those that the user chose. The only place that knows all backends.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/backend.h"

namespace gpuminer {

struct DeviceSelection {
    std::vector<std::string> backends{"auto"};  ///< names; "auto" stands for all that are built in
    std::vector<std::string> devices;           ///< names or numbers; empty: those used by default
    DeviceOptions options;
};

/// A device with the number that `-d` takes: its place among all devices of all backends built in.
struct ListedDevice {
    unsigned number = 0;
    const Backend* backend = nullptr;
    Probe probe;
};

/// Every device of the chosen backends, usable or not. Throws InputError for a backend that does not exist,
/// NoDeviceError for one that is not part of this program, and what the backends throw.
[[nodiscard]] std::vector<ListedDevice> list_devices(const DeviceSelection& selection);

/// Opens what the user chose. Throws InputError for names that nothing has, NoDeviceError where nothing
/// usable is left; the reasons are part of the sentence.
[[nodiscard]] std::vector<std::unique_ptr<Device>> open_devices(const DeviceSelection& selection);

}  // namespace gpuminer
