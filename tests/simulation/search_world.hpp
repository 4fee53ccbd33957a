// Devices of the simulated searches. They hash nothing, and fail, lie, hang, vanish and come back as the seed has it.
// What each of them did is written down.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/backend.h"
#include "host/devices/devices.hpp"
#include "host/search/search_types.hpp"
#include "tests/simulation/answers.hpp"
#include "tests/simulation/scheduler.hpp"

namespace gpuminer::simulation {

using Key = std::pair<std::uint32_t, std::uint32_t>;  // version, nonce

/// How one device behaves.
struct DevicePlan {
    enum class Opening { kOpens, kLate, kHangs, kThrows, kNothing };
    enum class Start { kPasses, kLate, kHangs, kHangsInAttach, kThrows, kThrowsInAttach, kWrong };

    unsigned backend = 0;  ///< among backends()
    bool can_hang = true;
    Opening opening = Opening::kOpens;
    Start start = Start::kPasses;
    std::uint64_t batch = 1000;
    std::chrono::nanoseconds per_hash{1000};
    std::uint64_t overflows_above = std::numeric_limits<std::uint64_t>::max();  ///< nonces of a scan
    // Chances of a scan, in percent:
    unsigned fails = 0;
    unsigned hangs = 0;
    unsigned slow = 0;
    unsigned lies = 0;
    unsigned omits = 0;  ///< of a hit, in the scans of a device that does
    unsigned repeats = 0;
};

struct ScanRecord {
    std::size_t header = 0;
    std::uint32_t first_version = 0;
    std::uint32_t versions = 1;
    NonceRange range;
    bool returned = false;      ///< with a result that did not overflow
    bool overflow = false;      ///< more candidates than a result has room for
    unsigned wrong = 0;         ///< candidates
    std::vector<Key> reported;  ///< hits; one that is reported twice is here twice
    std::vector<Key> omitted;   ///< hits
    Time began{}, ended{};

    [[nodiscard]] std::uint64_t hashes() const { return range.count * versions; }
};

/// When something was paused, for one reason or for several.
class Pauses {
public:
    /// Has it paused for this reason, or not any more.
    void change(PauseReason reason, const std::function<void(bool paused)>& set) {
        const auto bit = static_cast<unsigned>(reason);
        const unsigned after = reasons_ ^ bit;
        if (after == 0) times_.back().second = Scheduler::current().now();
        set((after & bit) != 0);
        if (reasons_ == 0) times_.emplace_back(Scheduler::current().now(), Time::max());
        reasons_ = after;
    }
    [[nodiscard]] bool paused() const { return reasons_ != 0; }
    /// Whether no batch may begin then, not even one that had been about to when the pause began.
    [[nodiscard]] bool forbid(Time time) const {
        return std::ranges::any_of(times_, [time](const auto& pause) {
            return time > pause.first + std::chrono::milliseconds(5) && time < pause.second;
        });
    }

private:
    unsigned reasons_ = 0;
    std::vector<std::pair<Time, Time>> times_;
};

/// Of one schedule.
class World {
public:
    /// Of `patient` ones nothing hangs: all that is waited for comes, and is told when it does.
    World(Scheduler& scheduler, bool patient);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    [[nodiscard]] static World& current();

    [[nodiscard]] Scheduler& scheduler() { return scheduler_; }
    [[nodiscard]] bool patient() const { return patient_; }
    [[nodiscard]] const std::vector<DevicePlan>& plans() const { return plans_; }
    [[nodiscard]] static std::string name(std::size_t device);
    /// The first one is the CPU's.
    [[nodiscard]] static Backends backends();
    [[nodiscard]] std::vector<std::unique_ptr<Device>> open_all();
    [[nodiscard]] std::uint64_t smallest_batch() const;

    /// No device does wrong any more.
    void calm_down() { calm_ = true; }
    [[nodiscard]] bool calm() const { return calm_; }
    /// What hangs goes on.
    void release();
    void hang();

    /// On standard error.
    void print_scans() const;

    std::map<std::string, std::vector<ScanRecord>> scans;  ///< by device, in the order in which they began
    Pauses pauses;                                         ///< of the search
    std::map<std::string, Pauses> device_pauses;
    int open_devices = 0;

private:
    Scheduler& scheduler_;
    const bool patient_;
    std::vector<DevicePlan> plans_;
    bool calm_ = false;
    bool released_ = false;
};

}  // namespace gpuminer::simulation
