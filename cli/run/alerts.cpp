#include "cli/run/alerts.hpp"

#include <string>

#include "cli/terminal/logging.hpp"
#include "host/threads.hpp"

namespace gpuminer {

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

}  // namespace gpuminer
