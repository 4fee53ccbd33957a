// The inside of a Fleet: its members with their threads, and what they do for the current search. Threads that sit in
// a driver may outlive the Fleet and keep this.
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
    /// Why something is no member.
    void note_problem(const std::string& name, const std::string& reason);
    void warn(std::string text) { notices_.add(Severity::kWarning, std::move(text)); }
    /// GPUs of these backends join later. Where there is nobody yet, waits a moment for the first one.
    void look_for(Backends backends, const DeviceSelection& selection, const std::vector<const Backend*>& asked);
    /// Throws NoDeviceError where there is nobody, and nobody to come.
    void require_somebody();
    void close();
    std::vector<DeviceReport> carry_out(const std::shared_ptr<SearchContext>& context, const Joined& joined);

    // For any thread.
    [[nodiscard]] std::vector<DeviceInfo> ready() const;
    void pause(const std::string& name, bool paused);
    [[nodiscard]] bool waiting_for_devices() const;
    [[nodiscard]] std::vector<Notice> take_notices() { return notices_.take(); }
    void wake();

private:
    using Clock = std::chrono::steady_clock;
    using Lock = std::unique_lock<std::mutex>;

    struct Member {
        unsigned rank = 0;
        std::string name;
        bool can_hang = true;  ///< as long as it is not open, too
        bool paused = false;
        bool opening = false;                   ///< its thread is opening it
        std::shared_ptr<WatchedDevice> device;  ///< null before, and at the end
        std::shared_ptr<Worker> worker;         ///< its thread is at work for a search, perhaps for one that is over
        std::uint64_t search = 0;               ///< the last one that it took part in
        std::string failure;                    ///< not empty: it takes no part any more
        bool ended = false;                     ///< its thread touches nothing any more
        std::thread thread;
        // For the watchdog:
        std::uint64_t seen_calls = 0;
        std::chrono::milliseconds unanswered{0};
    };
    using MemberPointer = std::shared_ptr<Member>;
    /// A member's part in the current search.
    struct Part {
        MemberPointer member;
        std::shared_ptr<Worker> worker;
        bool announced = false;
        bool ended = false;
    };
    using Opening = std::function<std::unique_ptr<Device>()>;

    // A member's thread; without the lock.
    void serve(const MemberPointer& member, const Opening& opening);
    void open(const MemberPointer& member, const Opening& opening);

    // With the lock.
    void add_locked(const ListedDevice& device, const DeviceOptions& options);
    void start(MemberPointer member, Opening opening);
    void take_out(Member& member, const std::string& reason);
    void recruit(const MemberPointer& member);
    void end_part(const MemberPointer& member, const std::shared_ptr<Worker>& worker);
    void add_what_is_found();

    void work_until_over(Lock& lock, const Joined& joined);
    [[nodiscard]] bool announce_one(Lock& lock, const Joined& joined);
    void cut_if_all_are_ready();
    [[nodiscard]] bool over(std::optional<Clock::time_point>& deadline) const;
    void count_tick();
    void watch_opening(Member& member);
    void watch_calls(Member& member);
    [[nodiscard]] std::vector<DeviceReport> end_search();

    [[nodiscard]] Part* part_of(const std::shared_ptr<Worker>& worker);
    [[nodiscard]] bool takes_part(const Member& member) const { return context_ && member.search == search_; }
    [[nodiscard]] bool more_to_open() const;
    [[nodiscard]] bool somebody_expected() const;
    [[nodiscard]] bool somebody_at_work() const;
    [[nodiscard]] std::string why_nobody() const;

    const FleetTimes times_;
    Notices notices_;

    mutable std::mutex mutex_;              // guards what follows
    std::condition_variable news_;          ///< for the thread that has the Fleet
    std::condition_variable orders_;        ///< for the members' threads
    std::vector<MemberPointer> members_;    ///< in the order of ranks
    std::unique_ptr<DeviceFinder> finder_;  ///< null: there is nothing to be found
    std::string problems_;
    bool closing_ = false;

    std::shared_ptr<SearchContext> context_;  ///< null: no search is going on
    std::uint64_t search_ = 0;                ///< number of the search that is going on, or was the last one
    std::vector<Part> parts_;
};

}  // namespace gpuminer
