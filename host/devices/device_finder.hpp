// Search for the GPUs that a fleet is to use, while other devices are at work. Used under the fleet's lock; waits for
// nothing.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/devices/devices.hpp"
#include "host/devices/probing.hpp"
#include "host/devices/times.hpp"
#include "host/notices.hpp"
#include "host/threads.hpp"

namespace gpuminer {

class DeviceFinder {
public:
    using Clock = threads::Clock;

    /// `begin`: when the backends `asked` are asked. `answered` is called on other threads when there is something
    /// new for next().
    DeviceFinder(Backends backends, const DeviceSelection& selection, std::vector<const Backend*> asked,
                 Clock::time_point begin, const FleetTimes& times, std::function<void()> answered);

    [[nodiscard]] const DeviceOptions& options() const { return selection_.options; }
    /// The devices to open now, each once.
    [[nodiscard]] std::vector<ListedDevice> next();
    /// When next() has to be called without something new; nothing: only then.
    [[nodiscard]] std::optional<Clock::time_point> begin() const;
    /// A device that next() returned cannot be used after all: another API may reach the same GPU.
    void failed(const std::string& name) { failed_.insert(name); }
    void count_tick() { waited_ += probing_ ? times_.tick : std::chrono::milliseconds::zero(); }
    /// Whether next() may still return devices.
    [[nodiscard]] bool pending() const;

    /// What is not used, since the last call: of a backend that the user named and that has nothing else, as warnings.
    [[nodiscard]] std::vector<Notice> take_notices();
    /// "; cuda: there is no driver …" for each of those, and each backend that has not answered
    [[nodiscard]] std::string problems() const;
    [[nodiscard]] std::vector<std::string> unanswered() const;

private:
    void add(std::vector<Probing::Answer> answers);
    void explain(const ListedDevice& device);

    const Backends backends_;
    const DeviceSelection selection_;
    const std::vector<const Backend*> asked_;
    const Clock::time_point begin_;
    const FleetTimes times_;
    const std::function<void()> answered_;

    std::optional<Probing> probing_;  ///< empty before the beginning
    std::chrono::milliseconds waited_{0};
    std::vector<ListedDevice> answers_;  ///< as they came
    std::vector<ListedDevice> listed_;   ///< with what is decided about their use
    std::set<std::string> chosen_;       ///< names
    std::set<std::string> failed_;
    std::set<std::string> explained_;
    std::vector<Notice> notices_;
};

}  // namespace gpuminer
