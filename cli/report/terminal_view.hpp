// Live terminal lines of a run, below the messages: devices, rates, odds, server, progress.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/mutex.hpp"
#include "web/rate_window.hpp"
#include "web/run_observer.hpp"

namespace gpuminer {

/// Thread-safe.
class TerminalView final : public web::RunObserver {
public:
    void second(const web::RunSample& now) override;
    void measured(const SensorReport& sensors) override;
    void end(const web::DocumentText& document) override;

    /// Lines, which '\n' divides. The last one is the progress line, so that a low terminal shows that. The devices are
    /// those of the last second; one alone has no rate of its own, and no rates of several times follow.
    [[nodiscard]] std::string text(const web::RunSample& now) const;
    /// speed_text() of what was sampled.
    [[nodiscard]] std::string speed() const;

private:
    /// A GPU, or all CPU threads of a kind.
    struct Line {
        std::string name, device;  ///< of threads the first
        unsigned threads = 0;      ///< 0: a GPU
        double rate = 0;           ///< hashes per second, over the last ten seconds
        std::string state = {};    ///< "paused", …; empty: at work
    };
    void add_line(const DeviceInfo& info, double rate, const std::string& state) GPUMINER_REQUIRES(mutex_);
    [[nodiscard]] std::string device_lines() const GPUMINER_REQUIRES(mutex_);
    /// ", 2 threads, 61 °C, too hot": all but name and rate.
    [[nodiscard]] std::string facts(const Line& line) const GPUMINER_REQUIRES(mutex_);

    mutable Mutex mutex_;  ///< a leaf: no other mutex is locked while it is held
    web::RateWindow rate_ GPUMINER_GUARDED_BY(mutex_);
    std::map<std::string, web::RateWindow> rates_ GPUMINER_GUARDED_BY(mutex_);  ///< by device
    std::vector<Line> lines_ GPUMINER_GUARDED_BY(mutex_);
    SensorReport sensors_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer
