// Alerts of a run: the user's commands (--on-EVENT) and webhooks, told when a condition holds.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "cli/options/view_options.hpp"
#include "cli/run/hooks.hpp"
#include "web/alerts.hpp"
#include "web/run_observer.hpp"
#include "web/webhook.hpp"

namespace gpuminer {

class Alerts final : public web::RunObserver {
public:
    /// `best_before`: the best difficulty of earlier runs; 0: there were none. Throws InputError where commands cannot
    /// be run.
    Alerts(const ViewOptions& options, bool has_server, double best_before);

    /// At the run's end: until webhooks have got what is on its way to them, all within 2 s. `hurry`: within a quarter
    /// of a second, as somebody waits.
    void finish(bool hurry);

    void answered(const net::AnsweredFind& find) override;
    void second(const web::RunSample& now) override;
    void hot(const HotDevice& paused) override { tell(web::AlertWatch::hot(paused)); }

private:
    void tell(const web::Alert& alert);

    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    web::AlertWatch watch_;  ///< used by the thread that calls second()
    std::optional<Hooks> hooks_;
    std::vector<std::unique_ptr<web::Webhook>> webhooks_;
};

}  // namespace gpuminer
