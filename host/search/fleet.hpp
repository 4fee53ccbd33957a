// Devices that work together, for one search after the other: each is opened and tests itself once, on a thread of its
// own, and takes part as soon as it is ready. What hangs or fails takes part no more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/devices/devices.hpp"
#include "host/devices/times.hpp"

namespace gpuminer {

class FleetState;

class Fleet {
public:
    /// The devices that the user chose. CPU devices are open when it returns; others are looked for and opened while
    /// a search runs (but devices named by the selection have all been found before it returns). Throws InputError
    /// for names that nothing has, and NoDeviceError, with all reasons, where nothing usable can come any more.
    Fleet(Backends backends, const DeviceSelection& selection, const FleetTimes& times = {});
    /// These, open already. Throws NoDeviceError where there is none.
    explicit Fleet(std::vector<std::unique_ptr<Device>> devices, const FleetTimes& times = {});
    /// Closes the devices, but waits for no driver: threads that are inside one are abandoned (abandonable_thread.hpp).
    ~Fleet();
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;

    /// The devices that are open and have not failed. From any thread.
    [[nodiscard]] std::vector<DeviceInfo> ready() const;
    /// For Search.
    [[nodiscard]] const std::shared_ptr<FleetState>& state() const { return state_; }

private:
    explicit Fleet(const FleetTimes& times);

    const std::shared_ptr<FleetState> state_;
};

}  // namespace gpuminer
