// State of a Fleet: its devices in slots, a thread for each, and their participation in the current search. Threads
// that are inside a driver may outlive the Fleet and keep this.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/devices/device_finder.hpp"
#include "host/search/worker.hpp"

namespace gpuminer {

class FleetState : public std::enable_shared_from_this<FleetState> {
public:
    using Joined = std::function<void(const DeviceInfo&)>;

    explicit FleetState(const FleetTimes& times) : times_(times) {}

    // For the thread that has the Fleet.
    /// A device that is open. `rank`: reports are in this order.
    void add(unsigned rank, std::unique_ptr<Device> device);
    /// A device that its own thread opens.
    void add(const ListedDevice& device, const DeviceOptions& options);
    /// A reason for no_device_reason().
    void note_problem(const std::string& name, const std::string& reason);
    void warn(std::string text) { notices_.add(Severity::kWarning, std::move(text)); }
    /// GPUs of these backends join later. Where there is no device yet, waits a moment for the first one.
    void find_gpus(Backends backends, const DeviceSelection& selection, const std::vector<const Backend*>& asked);
    /// Throws NoDeviceError where there is no usable device and none is expected.
    void require_devices();
    /// Ends the devices' threads, but abandons those that are inside a driver.
    void close();
    /// Has the devices work until the search is over; see Search::run().
    std::vector<DeviceReport> run(const std::shared_ptr<SearchContext>& context, const Joined& joined);

    // For any thread.
    [[nodiscard]] std::vector<DeviceInfo> ready() const;
    /// As Search::pause_device(); also for a device that is still being opened.
    void pause_device(const std::string& name, bool paused);
    [[nodiscard]] bool waiting_for_devices() const;
    [[nodiscard]] std::vector<Notice> take_notices() { return notices_.take(); }
    /// Has run() look whether the search is over.
    void wake();

private:
    using Clock = std::chrono::steady_clock;
    using Lock = std::unique_lock<std::mutex>;

    /// A device, from the time at which its thread starts; guarded by the fleet's mutex but for `thread`.
    struct Slot {
        unsigned rank = 0;
        std::string name;
        bool can_hang = true;  ///< as long as it is not open, too
        bool paused = false;
        bool opening = false;                   ///< its thread is opening it
        std::shared_ptr<WatchedDevice> device;  ///< null before, and at the end
        std::shared_ptr<Worker> worker;         ///< its thread is at work for a search, perhaps for one that is over
        std::uint64_t search = 0;               ///< the last one that it took part in
        std::string failure;                    ///< why it takes no part any more; empty: it does
        bool ended = false;                     ///< its thread touches nothing any more
        std::thread thread;
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

    // On a slot's thread; without the lock.
    void serve(const SlotPointer& slot, const Opening& opening);
    void open(const SlotPointer& slot, const Opening& opening);

    // With the lock.
    void add_locked(const ListedDevice& device, const DeviceOptions& options);
    void start(SlotPointer slot, Opening opening);
    void exclude(Slot& slot, const std::string& reason);
    void assign_worker(const SlotPointer& slot);
    void end_participation(const SlotPointer& slot, const std::shared_ptr<Worker>& worker);
    void add_found();

    void wait_until_over(Lock& lock, const Joined& joined);
    [[nodiscard]] bool announce_one(Lock& lock, const Joined& joined);
    void cut_if_all_are_ready();
    [[nodiscard]] bool over(std::optional<Clock::time_point>& deadline) const;
    void count_tick();
    void watch_opening(Slot& slot);
    void watch_calls(Slot& slot);
    void note_missing();
    [[nodiscard]] std::vector<DeviceReport> end_search();

    [[nodiscard]] Participation* participation_of(const std::shared_ptr<Worker>& worker);
    [[nodiscard]] bool takes_part(const Slot& slot) const { return context_ && slot.search == search_; }
    [[nodiscard]] bool any_to_open() const;
    [[nodiscard]] bool may_gain_devices() const;
    [[nodiscard]] bool any_at_work() const;
    [[nodiscard]] std::string no_device_reason() const;

    const FleetTimes times_;
    Notices notices_;

    /// Guards what follows. The mutexes of workers, the partition, the finder's probing and the notices are taken
    /// within it.
    mutable std::mutex mutex_;
    std::condition_variable changed_;         ///< for the thread that has the Fleet
    std::condition_variable work_available_;  ///< for the slots' threads
    std::vector<SlotPointer> slots_;          ///< in the order of ranks
    std::unique_ptr<DeviceFinder> finder_;    ///< null: there is nothing to be found
    std::string problems_;
    bool closing_ = false;

    std::shared_ptr<SearchContext> context_;  ///< null: no search is going on
    std::uint64_t search_ = 0;                ///< number of the search that is going on, or was the last one
    std::vector<Participation> participations_;
};

}  // namespace gpuminer
