// Search of a header, a target and a space of (version, nonce) pairs by any number of devices, every candidate hashed
// again by the checker.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/mutex.hpp"
#include "host/notices.hpp"
#include "host/search/search_control.hpp"
#include "host/search/search_types.hpp"
#include "host/threads.hpp"

namespace gpuminer {

class Fleet;
class FleetState;
class WorkSource;
struct SearchContext;

class Search : public SearchControl {
public:
    /// With the devices of a fleet, which outlives the search; one search of a fleet runs at a time. Throws
    /// InputError for an empty range.
    Search(const SearchRequest& request, Fleet& fleet);
    /// Of a source's work, such as that of a request whose record others read.
    Search(std::shared_ptr<WorkSource> source, Fleet& fleet);
    /// Searches, and returns when the goal is reached, the space is searched, stop() was called, or no device is left
    /// and none is expected any more. Devices that become ready join; a device's first search begins with its
    /// self-test. `joined` is called, on this thread, for each device that takes part, and `complete` once no other
    /// will (but for one that fails and is there through another API). To be called once.
    /// Throws NoDeviceError, with all reasons, where no device becomes usable.
    [[nodiscard]] SearchReport run(const std::function<void(const DeviceInfo&)>& joined = {},
                                   const std::function<void()>& complete = {});

    // From any other thread:
    void stop(Ending why) override;
    [[nodiscard]] bool stopped() const;
    void set_paused(bool paused, PauseReason reason = PauseReason::kUser) override;
    /// For devices that are faster than they may be: so many hashes more may be done, and with those that are left over
    /// at most `most` (> 0). No batch begins when none is left, and all devices together have no more than `most` (but
    /// a nonce each) in flight. True: more than was allowed had begun. Before the first call there is no limit.
    bool allow(double hashes, double most);
    void pause_device(const std::string& device_name, PauseReason reason, bool paused) override;
    [[nodiscard]] SearchProgress progress() const override;
    [[nodiscard]] std::vector<DeviceStatus> devices() const override;
    /// Those of the fleet, too.
    [[nodiscard]] std::vector<Notice> take_notices() override;

private:
    using Clock = threads::Clock;

    [[nodiscard]] SearchReport report(std::vector<DeviceReport> devices);

    const std::shared_ptr<SearchContext> context_;
    const std::shared_ptr<FleetState> fleet_;

    mutable Mutex mutex_;  ///< the partition's is taken within it
    std::optional<Ending> stop_reason_ GPUMINER_GUARDED_BY(mutex_);
    std::optional<Clock::time_point> started_ GPUMINER_GUARDED_BY(mutex_);
    std::optional<double> duration_ GPUMINER_GUARDED_BY(mutex_);  ///< seconds, once the search has ended
    unsigned paused_ GPUMINER_GUARDED_BY(mutex_) = 0;             ///< PauseReasons, added up
};

}  // namespace gpuminer
