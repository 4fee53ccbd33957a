// A run: a search with its progress line, signals, keys, controls and sensors, told to all observers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/run/observers.hpp"
#include "cli/run/setup.hpp"
#include "cli/run/signals.hpp"
#include "cli/terminal/keys.hpp"
#include "cli/terminal/progress.hpp"
#include "host/search/search_control.hpp"
#include "host/sensors/sensor_thread.hpp"

namespace gpuminer {

/// What a command says of its run.
struct RunFacts {
    SearchControl& search;
    std::vector<DeviceInfo> ready;  ///< devices that are there from the beginning
    /// The progress line.
    std::function<std::string(const SearchProgress&, double recent_rate, const net::WorkStatus&)> text;
    std::function<net::WorkStatus()> status = {};              ///< of the server; empty: there is none
    std::function<bool(std::size_t pool)> activate_pool = {};  ///< as in web::Controls
    bool sensors = true;                                       ///< whether this run watches its devices itself
    std::optional<double> time_limit = {};                     ///< seconds
};

/// Of one search. grind's is for scripts: it has neither keys nor live lines, and its messages are for --debug.
class Run {
public:
    /// From now on signals stop and pause the search. `options`, `observers` and what the facts refer to outlive it.
    Run(const Options& options, const ProgramSetup& setup, SignalThread& signals, Observers& observers, RunFacts facts);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    /// Says the first line, and where the page is; empty: another run has. From now on there are keys and controls,
    /// and observers hear of each second.
    void begin(const std::string& greeting);
    /// For Search::run(): the device takes part.
    void joined(const DeviceInfo& info);
    /// Once the search is over. Returns what the sensors measured.
    [[nodiscard]] SensorReport finish();

    // From any thread:
    void say(Severity severity, std::string text) { progress_.say(severity, std::move(text)); }
    /// Severity of messages about the beginning and about devices.
    [[nodiscard]] Severity of_beginning() const { return is_grind_ ? Severity::kDebug : Severity::kInfo; }

private:
    [[nodiscard]] ProgressOptions progress_options();
    [[nodiscard]] web::RunSample sample(const SearchProgress& now, double rate) const;
    [[nodiscard]] net::WorkStatus status() const { return facts_.status ? facts_.status() : net::WorkStatus{}; }
    [[nodiscard]] bool takes_keys() const;
    [[nodiscard]] std::string keys_help() const;
    void pressed(char key);  ///< on the key thread
    [[nodiscard]] web::Controls controls();
    void start_sensors();

    const Options& options_;
    const ProgramSetup& setup_;
    Observers& observers_;
    const RunFacts facts_;
    const bool is_grind_;
    std::atomic<bool> begun_ = false;
    ProgressThread progress_;
    const SignalThread::Session session_;
    std::optional<SensorThread> sensors_;  ///< empty: nobody asks for what they measure
    std::optional<KeyThread> keys_;        ///< as long as the search runs: then the terminal is a pager's, say
};

/// Whether anybody asks for what sensors measure: the report, --max-temp or --max-cpu-temp. A grind that needs neither
/// starts quicker without them.
[[nodiscard]] bool wants_sensors(const Options& options);

/// Seconds that --time-limit leaves to the next of several searches; empty: there is no limit.
[[nodiscard]] std::optional<double> time_left(const Options& options, std::chrono::steady_clock::time_point began);

/// `stop_signal`: by which the search was stopped, if it was.
[[nodiscard]] int exit_code_of(Ending ending, int stop_signal);

}  // namespace gpuminer
