#include "cli/run/outside.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/report/pairing_text.hpp"
#include "cli/run/hooks.hpp"
#include "cli/run/live_view.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/terminal.hpp"
#include "host/errors.hpp"
#include "host/threads.hpp"
#include "web/alerts.hpp"
#include "web/webhook.hpp"

namespace gpuminer {
namespace {

/// Where a server listens on all addresses, loopback is one of them.
std::string on_this_machine(std::string place) {
    for (const auto& [all, loopback] : {std::pair{"//0.0.0.0:", "//127.0.0.1:"}, std::pair{"//[::]:", "//[::1]:"}}) {
        if (const std::size_t at = place.find(all); at != std::string::npos)
            place.replace(at, std::string_view(all).size(), loopback);
    }
    return place;
}

/// The user's commands (--on-EVENT) and webhooks, told when a condition holds.
class Alerts final : public web::RunObserver {
public:
    /// `best_before`: the best difficulty of earlier runs; 0: there were none. Throws InputError where commands cannot
    /// be run.
    Alerts(const ViewOptions& options, bool has_server, double best_before);

    /// As Outside::finish().
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

Alerts::Alerts(const ViewOptions& options, bool has_server, double best_before) : watch_(has_server, best_before) {
    if (!options.hooks.empty()) hooks_.emplace(options.hooks);
    const auto say = [](Severity, const std::string& text) { log_warning(text); };
    for (const web::WebhookUrl& url : options.webhooks) webhooks_.push_back(std::make_unique<web::Webhook>(url, say));
}

void Alerts::finish(bool hurry) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(hurry ? 250 : 2000);
    for (const auto& webhook : webhooks_) webhook->wait(end);
}

void Alerts::answered(const net::AnsweredFind& find) {
    if (const auto alert = web::AlertWatch::answered(find)) tell(*alert);
}

void Alerts::second(const web::RunSample& now) {
    for (const web::Alert& alert : watch_.observe(now, seconds_since(started_))) tell(alert);
    if (!hooks_) return;
    for (const std::string& failure : hooks_->failures()) log_warning(failure);
}

void Alerts::tell(const web::Alert& alert) {
    if (hooks_) {
        if (const std::string why = hooks_->run(alert); !why.empty()) log_warning(why);
    }
    for (const auto& webhook : webhooks_) webhook->send(web::alert_json(alert));
}

/// Each is told of everything: first the page, then the alerts.
class PageAndAlerts final : public Outside {
public:
    PageAndAlerts(const Options& options, const std::string& command)
        : page_(command, *options.devices.algorithm), alerts_(options.view, command != "mine", page_.best_before()) {
        if (options.view.http) page_.listen(*options.view.http);
    }

    [[nodiscard]] EventStream::Listener listener() override { return page_.listener(); }
    void finish(bool hurry) override { alerts_.finish(hurry); }
    [[nodiscard]] std::string place() const override { return page_.place(); }
    void offer(web::Controls controls) override { page_.offer(std::move(controls)); }
    [[nodiscard]] bool show_pairing() override;
    [[nodiscard]] bool is_pairing() override { return page_.is_pairing(); }

    void job(const MiningJob* job) override { page_.job(job); }
    void answered(const net::AnsweredFind& find) override {
        page_.answered(find);
        alerts_.answered(find);
    }
    void second(const web::RunSample& now) override {
        page_.second(now);
        alerts_.second(now);
    }
    void measured(const SensorReport& sensors) override { page_.measured(sensors); }
    void hot(const HotDevice& paused) override { alerts_.hot(paused); }

private:
    LiveView page_;
    Alerts alerts_;
};

bool PageAndAlerts::show_pairing() {
    const auto offer = page_.offer_pairing();
    if (!offer) return false;
    const PairingFacts facts{offer->phone.url, offer->phone.reason, offer->secret.word, offer->secret.digits};
    pin_on_terminal([facts, place = on_this_machine(page_.place())] {
        return pairing_text(facts, place, canvas_of(kStandardError));
    });
    return true;
}

}  // namespace

std::unique_ptr<Outside> make_outside(const Options& options, const std::string& command) {
    if (!options.view.any()) return nullptr;
    return std::make_unique<PageAndAlerts>(options, command);
}

}  // namespace gpuminer
