// The page and the API of a run (--http), and the history that is kept for the next run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/options/view_options.hpp"
#include "cli/run/events.hpp"
#include "cli/terminal/line_writer.hpp"
#include "cli/terminal/logging.hpp"
#include "web/dashboard.hpp"
#include "web/monitor.hpp"
#include "web/run_observer.hpp"

namespace gpuminer {

/// Messages come to it by the log, so that it has them before and after the search, too.
class LiveView final : public web::RunObserver {
public:
    /// `command`: "pool", "solo", "mine"; what it keeps for the next run is the algorithm's own.
    LiveView(const std::string& command, const Algorithm& algorithm);
    /// Writes down what the next run is to know.
    ~LiveView() override;

    /// The best difficulty of earlier runs; 0: there were none.
    [[nodiscard]] double best_before() const { return monitor_.best_before(); }

    /// Throws InputError where the address cannot be listened on or the token's file cannot be read.
    void listen(const HttpOptions& http);
    /// Where the page is; empty: there is none.
    [[nodiscard]] std::string place() const { return dashboard_ ? dashboard_->place() : ""; }
    /// As Api::offer().
    void offer(web::Controls controls);
    /// As Api::offer_pairing(); empty, too, where nothing listens.
    [[nodiscard]] std::optional<web::PairingOffer> offer_pairing() {
        return dashboard_ ? dashboard_->offer_pairing() : std::nullopt;
    }
    [[nodiscard]] bool is_pairing() { return dashboard_ && dashboard_->is_pairing(); }
    /// For an EventStream, after listen(): readers of /api/v1/events get what happens.
    [[nodiscard]] EventStream::Listener listener();

    void job(const MiningJob* job) override { monitor_.job(job); }
    void answered(const net::AnsweredFind& find) override { monitor_.answered(find); }
    void second(const web::RunSample& now) override;
    void measured(const SensorReport& sensors) override { monitor_.measured(sensors); }

private:
    void keep();

    web::Monitor monitor_;
    std::unique_ptr<LineWriter> keeper_;  ///< null: there is no place to keep anything
    unsigned samples_ = 0, kept_at_ = 0;
    double best_kept_ = 0;
    std::optional<LogListening> listening_;      ///< empty: there is no --http
    std::unique_ptr<web::Dashboard> dashboard_;  ///< null: the same
};

}  // namespace gpuminer
