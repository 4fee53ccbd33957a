// State of a Fleet: its devices in slots, a thread for each, and their participation in the current search. Threads
// that are inside a driver may outlive the Fleet and keep this.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/abandonable_thread.hpp"
#include "host/devices/device_finder.hpp"
#include "host/mutex.hpp"
#include "host/search/worker.hpp"
#include "host/threads.hpp"

namespace gpuminer {

class FleetState : public std::enable_shared_from_this<FleetState> {
public:
    using Joined = std::function<void(const DeviceInfo&)>;
    using Complete = std::function<void()>;

    explicit FleetState(const FleetTimes& times) : times_(times) {}

    // For the thread that has the Fleet.
    /// A device that is open. `rank`: reports are in this order.
    void add(unsigned rank, std::unique_ptr<Device> device);
    /// A device that its own thread opens.
    void add(const ListedDevice& device, const DeviceOptions& options);
    /// A reason for no_device_reason().
    void note_problem(const std::string& name, const std::string& reason);
    void warn(std::string text) { notices_.add(Severity::kWarning, std::move(text)); }
    /// Whoever names a device or a backend is told when it took no part.
    void note_named(const DeviceSelection& selection);
    /// GPUs of these backends join later. Where there is no device yet, waits a moment for the first one.
    void find_gpus(Backends backends, const DeviceSelection& selection, const std::vector<const Backend*>& asked);
    /// Throws NoDeviceError where there is no usable device and none is expected.
    void require_devices();
    /// Ends the devices' threads, but abandons those that are inside a driver.
    void close();
    /// Has the devices work until the search is over; see Search::run().
    std::vector<DeviceReport> run(const std::shared_ptr<SearchContext>& context, const Joined& joined,
                                  const Complete& complete);

    // For any thread.
    [[nodiscard]] std::vector<DeviceInfo> ready() const;
    /// As Search::pause_device(); also for a device that is still being opened.
    void pause_device(const std::string& name, PauseReason reason, bool paused);
    /// As Search::devices().
    [[nodiscard]] std::vector<DeviceStatus> devices() const;
    [[nodiscard]] bool waiting_for_devices() const;
    /// Those that take part, and by themselves.
    [[nodiscard]] bool every_device_paused() const;
    [[nodiscard]] std::vector<Notice> take_notices() { return notices_.take(); }
    /// Has run() look whether the search is over.
    void wake();

private:
    using Clock = threads::Clock;

    /// A device, from the time at which its thread starts; guarded by the fleet's mutex but for `thread`. (Clang cannot
    /// be told: a member's mutex has to be one of the same object.)
    struct Slot {
        unsigned rank = 0;
        std::string name;
        bool can_hang = true;                   ///< as long as it is not open, too
        unsigned paused = 0;                    ///< PauseReasons, added up
        bool opening = false;                   ///< its thread is opening it
        std::shared_ptr<WatchedDevice> device;  ///< null before, and at the end
        std::shared_ptr<Worker> worker;         ///< its thread is at work for a search, perhaps for one that is over
        std::uint64_t search = 0;               ///< the last one that it took part in
        std::string failure;                    ///< why it takes no part any more; empty: it does
        bool ended = false;                     ///< its thread touches nothing of the fleet any more
        AbandonableThread thread;
        // For the watchdog:
        std::uint64_t seen_calls = 0;
        std::chrono::milliseconds unanswered{0};
    };
    using SlotPointer = std::shared_ptr<Slot>;
    /// Of a slot in the current search.
    struct Participation {
        SlotPointer slot;
        std::shared_ptr<Worker> worker;
        bool announced = false;
        bool ended = false;
    };
    using Opening = std::function<std::unique_ptr<Device>()>;

    // On a slot's thread.
    void serve(const SlotPointer& slot, const Opening& opening) GPUMINER_EXCLUDES(mutex_);
    void open(const SlotPointer& slot, const Opening& opening) GPUMINER_EXCLUDES(mutex_);

    void add_locked(const ListedDevice& device, const DeviceOptions& options) GPUMINER_REQUIRES(mutex_);
    void start(SlotPointer slot, Opening opening) GPUMINER_REQUIRES(mutex_);
    void exclude(Slot& slot, const std::string& reason) GPUMINER_REQUIRES(mutex_);
    void assign_worker(const SlotPointer& slot) GPUMINER_REQUIRES(mutex_);
    void end_participation(const SlotPointer& slot, const std::shared_ptr<Worker>& worker) GPUMINER_REQUIRES(mutex_);
    void add_found() GPUMINER_REQUIRES(mutex_);

    void wait_until_over(const Joined& joined, Complete complete) GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] bool announce_one(const Joined& joined) GPUMINER_REQUIRES(mutex_);
    void call_unlocked(const std::function<void()>& action) GPUMINER_REQUIRES(mutex_);
    void cut_if_all_are_ready() GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] bool over(std::optional<Clock::time_point>& deadline) const GPUMINER_REQUIRES(mutex_);
    void count_tick() GPUMINER_REQUIRES(mutex_);
    void watch_opening(Slot& slot) GPUMINER_REQUIRES(mutex_);
    void watch_calls(Slot& slot) GPUMINER_REQUIRES(mutex_);
    void note_missing() GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] std::vector<DeviceReport> end_search() GPUMINER_REQUIRES(mutex_);

    [[nodiscard]] Participation* participation_of(const std::shared_ptr<Worker>& worker) GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] bool takes_part(const Slot& slot) const GPUMINER_REQUIRES(mutex_) {
        return context_ && slot.search == search_;
    }
    [[nodiscard]] bool any_to_open() const GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] bool may_gain_devices() const GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] bool any_at_work() const GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] std::string no_device_reason() const GPUMINER_REQUIRES(mutex_);

    const FleetTimes times_;
    Notices notices_;

    /// The mutexes of workers, the partition, the finder's probing and the notices are taken within it.
    mutable Mutex mutex_;
    Condition changed_;                                                    ///< for the thread that has the Fleet
    Condition work_available_;                                             ///< for the slots' threads
    std::vector<SlotPointer> slots_ GPUMINER_GUARDED_BY(mutex_);           ///< in the order of ranks
    bool devices_named_ GPUMINER_GUARDED_BY(mutex_) = false;               ///< by the user, each by itself
    std::vector<std::string> named_backends_ GPUMINER_GUARDED_BY(mutex_);  ///< by the user
    std::unique_ptr<DeviceFinder> finder_ GPUMINER_GUARDED_BY(mutex_);     ///< null: there is nothing to be found
    std::string problems_ GPUMINER_GUARDED_BY(mutex_);
    bool closing_ GPUMINER_GUARDED_BY(mutex_) = false;

    std::shared_ptr<SearchContext> context_ GPUMINER_GUARDED_BY(mutex_);  ///< null: no search is going on
    /// Number of the search that is going on, or was the last one.
    std::uint64_t search_ GPUMINER_GUARDED_BY(mutex_) = 0;
    std::vector<Participation> participations_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer
