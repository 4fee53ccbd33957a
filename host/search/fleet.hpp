// Devices that work together, for one search after the other: each is opened and proves itself once, on a thread of
// its own, and takes part as soon as it is ready. What hangs or fails stays out.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/devices/devices.hpp"
#include "host/devices/times.hpp"
#include "host/notices.hpp"

namespace gpuminer {

struct SearchContext;
struct DeviceReport;
class FleetState;

class Fleet {
public:
    /// The devices that the user chose. CPU devices are open when it returns; others are looked for and opened while
    /// a search runs (but devices named by the selection have all been found before it returns). Throws InputError
    /// for names that nothing has, and NoDeviceError, with all reasons, where nothing usable can come any more.
    Fleet(Backends backends, const DeviceSelection& selection, const FleetTimes& times = usual_fleet_times());
    /// These, open already.
    explicit Fleet(std::vector<std::unique_ptr<Device>> devices, const FleetTimes& times = {});
    /// Closes the devices, but waits for no driver: threads that are in one are abandoned (abandoned_threads.hpp).
    ~Fleet();
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;

    // From any thread:
    /// The devices that are open and not taken out.
    [[nodiscard]] std::vector<DeviceInfo> ready() const;
    /// As Search::pause_device(); also for a device that is still being opened.
    void pause_device(const std::string& name, bool paused);
    [[nodiscard]] std::vector<Notice> take_notices();

    // For Search:
    /// Has the devices work until the search is over; see Search::run().
    std::vector<DeviceReport> carry_out(const std::shared_ptr<SearchContext>& context,
                                        const std::function<void(const DeviceInfo&)>& joined);
    [[nodiscard]] bool waiting_for_devices() const;
    void wake();  ///< carry_out() is to see whether the search is over

private:
    explicit Fleet(const FleetTimes& times);

    const std::shared_ptr<FleetState> state_;
};

}  // namespace gpuminer
