// The state of a run as --http shows it, updated from its events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/mutex.hpp"
#include "host/notices.hpp"
#include "host/search/mining_job.hpp"
#include "host/search/search_types.hpp"
#include "host/sensors/sensor_report.hpp"
#include "net/transport/own_address.hpp"
#include "net/work_client.hpp"
#include "web/best_shares.hpp"
#include "web/history.hpp"
#include "web/rate_window.hpp"
#include "web/run_observer.hpp"

namespace gpuminer::web {

struct MonitorFacts {
    std::string command;     ///< "pool", "solo", "mine"
    bool has_server = true;  ///< finds are delivered to one
    std::string host = net::host_name();
};

/// Thread-safe. Callers block only on each other.
class Monitor {
public:
    explicit Monitor(MonitorFacts facts);

    // What happens:
    void sample(RunSample sample);  ///< once a second
    void pausing(bool paused);      ///< the user has asked for that; the next sample knows of it by itself
    void measured(const SensorReport& sensors);
    void job(const MiningJob* job);  ///< null: there is no work
    void answered(const net::AnsweredFind& find);
    void notice(const Notice& notice);

    // What is told; each a document but for its head (docs/http.md has the fields):
    [[nodiscard]] nlohmann::ordered_json summary() const;
    [[nodiscard]] nlohmann::ordered_json devices() const;
    [[nodiscard]] nlohmann::ordered_json history() const;
    [[nodiscard]] nlohmann::ordered_json shares() const;
    [[nodiscard]] nlohmann::ordered_json blocks() const;
    [[nodiscard]] nlohmann::ordered_json job() const;
    [[nodiscard]] nlohmann::ordered_json log() const;
    /// In the form of AxeOS, the firmware of Bitaxe miners. What is not known is left out.
    [[nodiscard]] nlohmann::ordered_json axeos_info() const;
    /// In the format of Prometheus (metrics.hpp).
    [[nodiscard]] std::string metrics() const;
    /// Whether --pause-on-battery pauses the search.
    [[nodiscard]] bool on_battery() const;
    /// The names of the devices, in the order of devices(); the number of one is its place.
    [[nodiscard]] std::vector<std::string> device_names() const;

    /// What the next run is to know: the day's history, the best difficulty and the best shares ever. restore() takes
    /// it, or any other text, before the first sample; the hour's history is the day's until there are samples.
    [[nodiscard]] std::string keepsake() const;
    void restore(const std::string& keepsake);
    /// Of earlier runs, as restore() took it; 0: there were none.
    [[nodiscard]] double best_before() const;

private:
    using Clock = std::chrono::steady_clock;
    using TimedFinds = std::deque<std::pair<std::int64_t, net::AnsweredFind>>;  ///< with seconds since 1970
    struct Line {
        std::int64_t time = 0;
        Severity severity{};
        std::string text;
    };
    struct DevicePower {
        std::optional<double> watts;
        std::optional<double> celsius;
    };

    /// As why_idle().
    [[nodiscard]] std::string_view idle() const GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] std::optional<double> total_power() const GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] DevicePower power_of(const std::string& device) const GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] double best_now() const GPUMINER_REQUIRES(mutex_);
    void add_to_history(std::int64_t now) GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] std::optional<double> hottest() const GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] nlohmann::ordered_json device_json(std::size_t number) const GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] nlohmann::ordered_json finds_json(const TimedFinds& finds) const GPUMINER_REQUIRES(mutex_);

    const MonitorFacts facts_;
    const Clock::time_point started_ = Clock::now();

    mutable Mutex mutex_;  ///< a leaf: no other mutex is locked while it is held
    RunSample last_ GPUMINER_GUARDED_BY(mutex_);
    SensorReport sensors_ GPUMINER_GUARDED_BY(mutex_);
    RateWindow rate_ GPUMINER_GUARDED_BY(mutex_);
    std::map<std::string, RateWindow> device_rates_ GPUMINER_GUARDED_BY(mutex_);
    History history_ GPUMINER_GUARDED_BY(mutex_);
    double best_before_ GPUMINER_GUARDED_BY(mutex_) = 0;  ///< best difficulty of earlier runs
    std::optional<double> cpu_power_w_ GPUMINER_GUARDED_BY(mutex_);
    std::optional<double> cpu_energy_j_ GPUMINER_GUARDED_BY(mutex_);  ///< at cpu_energy_at_
    double cpu_energy_at_ GPUMINER_GUARDED_BY(mutex_) = 0;            ///< seconds since started_

    bool has_job_ GPUMINER_GUARDED_BY(mutex_) = false;
    Clock::time_point job_since_ GPUMINER_GUARDED_BY(mutex_);
    std::uint64_t jobs_ GPUMINER_GUARDED_BY(mutex_) = 0;
    double job_difficulty_ GPUMINER_GUARDED_BY(mutex_) = 0;
    std::uint32_t version_mask_ GPUMINER_GUARDED_BY(mutex_) = 0;

    TimedFinds shares_ GPUMINER_GUARDED_BY(mutex_), blocks_ GPUMINER_GUARDED_BY(mutex_);
    BestShares best_ GPUMINER_GUARDED_BY(mutex_);
    std::optional<Clock::time_point> last_accepted_ GPUMINER_GUARDED_BY(mutex_);
    std::deque<Line> lines_ GPUMINER_GUARDED_BY(mutex_);
};

/// A keepsake with the best difficulty of another one (any text) where that is higher, and the best shares of both.
[[nodiscard]] std::string with_best_of(const std::string& keepsake, const std::string& other);

}  // namespace gpuminer::web
