#include "cli/run/observers.hpp"

#include <string>
#include <utility>

#include "cli/terminal/logging.hpp"
#include "host/errors.hpp"
#include "web/odds.hpp"

namespace gpuminer {
namespace {

std::string name_of(const Options& options) {
    if (options.command == Command::kPool) return "pool";
    return options.command == Command::kSolo ? "solo" : "mine";
}

}  // namespace

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
    outside_ = make_outside(options, name);
    if (outside_) all_.push_back(outside_.get());
    all_.insert(all_.end(), {&terminal_, &odds_});
    if (service_) all_.push_back(&*service_);
}

void Observers::begin() {
    const auto listener = outside_ ? outside_->listener() : EventStream::Listener();
    events_.emplace(options_.events, listener, name_of(options_) == "mine");
    all_.insert(all_.begin(), &*events_);
}

void Observers::finish(bool hurry) {
    if (outside_) outside_->finish(hurry);
}

bool Observers::show_pairing() {
    try {
        if (!outside_ || !outside_->show_pairing()) return false;
        pinned_ = true;
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
    if (pinned_ && !outside_->is_pairing()) hide_pairing();
}

void Observers::offer(web::Controls controls) {
    if (outside_) outside_->offer(std::move(controls));
}

}  // namespace gpuminer
