#include "cli/run/observers.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "cli/report/pairing_text.hpp"
#include "cli/terminal/logging.hpp"
#include "cli/terminal/terminal.hpp"
#include "host/errors.hpp"
#include "host/threads.hpp"
#include "web/odds.hpp"

namespace gpuminer {
namespace {

std::string name_of(const Options& options) {
    if (options.command == Command::kPool) return "pool";
    return options.command == Command::kSolo ? "solo" : "mine";
}

/// Where a server listens on all addresses, loopback is one of them.
std::string on_this_machine(std::string place) {
    for (const auto& [all, loopback] : {std::pair{"//0.0.0.0:", "//127.0.0.1:"}, std::pair{"//[::]:", "//[::1]:"}}) {
        if (const std::size_t at = place.find(all); at != std::string::npos)
            place.replace(at, std::string_view(all).size(), loopback);
    }
    return place;
}

}  // namespace

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

void OddsLine::second(const web::RunSample& now) {
    constexpr double kSettled = 30;  // seconds
    if (told_ || now.progress.seconds < kSettled || now.hash_rate <= 0 || now.status.network_difficulty <= 0) return;
    told_ = true;
    const web::Odds odds = web::odds_of(now.hash_rate, 0, now.status.network_difficulty);
    if (!odds.warning.empty()) log_info(odds.warning);
}

Observers::Observers(const Options& options) : options_(options) {
    const std::string name = name_of(options);
    if (name != "mine") service_.emplace();
    if (options.view.any()) {
        page_.emplace(name, *options.devices.algorithm);
        alerts_.emplace(options.view, name != "mine", page_->best_before());
        if (options.view.http) page_->listen(*options.view.http);
        all_ = {&*page_, &*alerts_};
    }
    all_.insert(all_.end(), {&terminal_, &odds_});
    if (service_) all_.push_back(&*service_);
}

void Observers::begin() {
    const auto listener = page_ ? page_->listener() : EventStream::Listener();
    events_.emplace(options_.events, listener, name_of(options_) == "mine");
    all_.insert(all_.begin(), &*events_);
}

void Observers::finish(bool hurry) {
    if (alerts_) alerts_->finish(hurry);
}

bool Observers::show_pairing() {
    try {
        const auto offer = page_ ? page_->offer_pairing() : std::nullopt;
        if (!offer) return false;
        pinned_ = true;
        const PairingFacts facts{offer->phone.url, offer->phone.reason, offer->secret.word, offer->secret.digits};
        pin_on_terminal([facts, place = on_this_machine(page_->place())] {
            return pairing_text(facts, place, canvas_of(kStandardError));
        });
    } catch (const InputError& error) {  // keys have a thread of their own
        log_warning(error.what());
    }
    return true;
}

void Observers::hide_pairing() {
    if (pinned_.exchange(false)) pin_on_terminal({});
}

void Observers::second(const web::RunSample& now) {
    tell(&RunObserver::second, now);
    if (pinned_ && !page_->is_pairing()) hide_pairing();
}

void Observers::offer(web::Controls controls) {
    if (page_) page_->offer(std::move(controls));
}

}  // namespace gpuminer
