// Live terminal lines of pool and solo, below the messages: devices, rates, odds, server, shares.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/mutex.hpp"
#include "host/search/search_types.hpp"
#include "host/sensors/sensor_report.hpp"
#include "net/work_client.hpp"
#include "web/rate_window.hpp"

namespace gpuminer {

/// Thread-safe.
class TerminalView {
public:
    explicit TerminalView(bool solo) : solo_(solo) {}

    /// Once a second.
    void sample(const SearchProgress& progress, const std::vector<DeviceStatus>& devices);
    void measured(const SensorReport& sensors);

    /// Lines, which '\n' divides. The last one is mining_progress_text(), so that a low terminal shows that.
    [[nodiscard]] std::string text(const SearchProgress& progress, double recent_rate,
                                   const net::WorkStatus& status) const;
    /// speed_text() of what was sampled.
    [[nodiscard]] std::string speed() const;

private:
    /// A GPU, or all CPU threads of a kind.
    struct Line {
        std::string name;
        unsigned threads = 0;    ///< 0: a GPU
        double rate = 0;         ///< hashes per second, over the last ten seconds
        std::string state = {};  ///< "paused", …; empty: at work
    };
    void add_line(const DeviceInfo& info, double rate, const std::string& state) GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] std::string device_lines() const GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] std::string device_line(const Line& line, std::size_t width) const GPUMINER_REQUIRES(mutex_);

    const bool solo_;
    mutable Mutex mutex_;  ///< a leaf: no other mutex is locked while it is held
    web::RateWindow rate_ GPUMINER_GUARDED_BY(mutex_);
    std::map<std::string, web::RateWindow> rates_ GPUMINER_GUARDED_BY(mutex_);  ///< by device
    std::vector<Line> lines_ GPUMINER_GUARDED_BY(mutex_);
    SensorReport sensors_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer
