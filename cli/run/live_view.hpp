// Outside views of a run: the --http server, alert hooks and webhooks, and the state kept for the next run.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/view_options.hpp"
#include "cli/run/events.hpp"
#include "cli/run/hooks.hpp"
#include "cli/terminal/line_writer.hpp"
#include "cli/terminal/logging.hpp"
#include "web/alerts.hpp"
#include "web/dashboard.hpp"
#include "web/monitor.hpp"
#include "web/webhook.hpp"

namespace gpuminer {

class LiveView {
public:
    /// Listens from now on. `command`: "pool", "solo", "mine"; what it keeps for the next run is the algorithm's own.
    /// Throws InputError where the address cannot be listened on or the token's file cannot be read.
    LiveView(const ViewOptions& options, const std::string& command, const Algorithm& algorithm);
    /// Writes down what the next run is to know.
    ~LiveView();
    LiveView(const LiveView&) = delete;
    LiveView& operator=(const LiveView&) = delete;

    /// At the run's end: until webhooks have got what is on its way to them, all within 2 s. `hurry`: within a quarter
    /// of a second, as somebody waits.
    void finish(bool hurry);

    /// Where the page is; empty: there is none.
    [[nodiscard]] std::string place() const { return dashboard_ ? dashboard_->place() : ""; }
    /// As Api::offer().
    void offer(web::Controls controls);
    /// For an EventStream: readers of /api/v1/events get what happens.
    [[nodiscard]] EventStream::Listener listener();

    // What happens; from any thread:
    void sample(web::MonitorSample sample);  ///< once a second, from one thread
    void job(const MiningJob* job) { monitor_.job(job); }
    void answered(const net::AnsweredFind& find);
    void measured(const SensorReport& sensors) { monitor_.measured(sensors); }

private:
    void tell(const web::Alert& alert);
    void keep();

    web::Monitor monitor_;
    std::optional<LogListening> listening_;  ///< empty: there is no --http
    std::unique_ptr<LineWriter> keeper_;     ///< null: there is no place to keep anything
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    unsigned samples_ = 0;
    std::optional<web::AlertWatch> watch_;  ///< used by the thread that calls sample()
    std::optional<Hooks> hooks_;
    std::vector<std::unique_ptr<web::Webhook>> webhooks_;
    std::unique_ptr<web::Dashboard> dashboard_;  ///< null: there is no --http
};

/// Controls that are there as long as this is.
class ControlsOffered {
public:
    /// Of a run without a web server, nothing happens.
    ControlsOffered(LiveView* view, web::Controls controls) : view_(view) {
        if (view_ != nullptr) view_->offer(std::move(controls));
    }
    ~ControlsOffered() {
        if (view_ != nullptr) view_->offer({});
    }
    ControlsOffered(const ControlsOffered&) = delete;
    ControlsOffered& operator=(const ControlsOffered&) = delete;

private:
    LiveView* const view_;
};

}  // namespace gpuminer
