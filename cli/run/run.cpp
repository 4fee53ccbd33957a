#include "cli/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/report/device_text.hpp"
#include "cli/report/mining_report.hpp"
#include "cli/run/exit_codes.hpp"
#include "cli/terminal/logging.hpp"
#include "host/threads.hpp"
#include "web/idle.hpp"

namespace gpuminer {
namespace {

bool has_token(const Options& options) { return options.view.http && !options.view.http->token_file.empty(); }

}  // namespace

Run::Run(const Options& options, const ProgramSetup& setup, SignalThread& signals, Observers& observers, RunFacts facts)
    : options_(options),
      setup_(setup),
      observers_(observers),
      facts_(std::move(facts)),
      is_grind_(options.command == Command::kGrind),
      progress_(facts_.search, progress_options()),
      session_(signals, {.stop = [this] { facts_.search.stop(Ending::kInterrupted); },
                         .statistics = [this] { progress_.request_statistics(); },
                         .pause_or_resume = [this] { progress_.pause_or_resume(); }}) {
    for (const DeviceInfo& info : facts_.ready) observers_.device(info);
    if (facts_.sensors && wants_sensors(options_)) start_sensors();
}

Run::~Run() {
    observers_.offer({});
    observers_.hide_pairing();
}

void Run::start_sensors() {
    sensors_.emplace(
        SensorOptions{.limits = options_.temperature_limits,
                      .cpu_limits = options_.cpu_temperature_limits,
                      .powercap = setup_.powercap,
                      .hwmon = setup_.hwmon},
        SensorThread::Actions{
            .pause = [this](const std::string& device,
                            bool paused) { facts_.search.pause_device(device, PauseReason::kTemperature, paused); },
            .say = [this](Severity severity, const std::string& text) { say(severity, text); },
            .measured = [this](const SensorReport& measured) { observers_.measured(measured); },
            .hot = [this](const HotDevice& hot) { observers_.hot(hot); },
        });
}

web::RunSample Run::sample(const SearchProgress& now, double rate) const {
    const net::WorkStatus current = status();
    return {now, rate, {}, current, facts_.text(now, rate, current)};
}

ProgressOptions Run::progress_options() {
    constexpr double kPatienceOfGrind = 3;  // seconds; shorter searches print no progress, as most callers are scripts
    ProgressOptions progress{
        .quiet = options_.log.quiet,
        .terminal = options_.terminal,
        .interval = options_.status_interval,
        .first_after = is_grind_ ? kPatienceOfGrind : 0,
        .text = [this](const SearchProgress& now, double rate) { return facts_.text(now, rate, status()); },
        .on_battery = battery_watch(options_, setup_),
        .time_limit = facts_.time_limit};
    if (!is_grind_)
        progress.live_text = [this](const SearchProgress& now, double rate) {
            return observers_.terminal().text(sample(now, rate));
        };
    if (facts_.status) {
        progress.idle = [this](const SearchProgress& now) {
            const net::WorkStatus current = status();
            return !web::why_idle(now, &current).empty();
        };
        progress.rates = [this] { return observers_.terminal().speed(); };
    }
    if (takes_keys()) progress.resumed_by = "r";
    progress.on_notice = [this](const Notice& notice) { observers_.notice(notice); };
    progress.on_second = [this](const SearchProgress& now, double rate) {
        if (!begun_) return;
        web::RunSample current = sample(now, rate);
        current.devices = facts_.search.devices();
        observers_.second(current);
    };
    return progress;
}

// ----- keys and controls -----

bool Run::takes_keys() const { return !is_grind_ && options_.terminal && !options_.log.quiet && KeyThread::possible(); }

std::string Run::keys_help() const {
    return fmt::format("keys: h rate, p pause, r resume, {}{}q quit", facts_.status ? "s shares, c connection, " : "",
                       has_token(options_) ? "w phone, " : "");
}

void Run::pressed(char key) {
    observers_.hide_pairing();
    switch (key) {
        case 'p':
        case 'r': return progress_.set_paused(key == 'p');
        case 'q': return interrupt_this_process();
        case 'h': return log_always(observers_.terminal().speed());
        case 'w':
            if (observers_.show_pairing()) return;
            return log_always("letting a phone in needs --http with --http-token-file");
        case 's':
            if (!facts_.status) break;
            return log_always(shares_text(status(), facts_.search.progress()));
        case 'c':
            if (!facts_.status) break;
            return log_always(connection_text(status()));
        default: break;
    }
    log_always(keys_help());
}

web::Controls Run::controls() {
    return {.pause = [this](bool paused) { progress_.set_paused(paused, "paused by its page or API (--http)"); },
            .pause_device = [this](const std::string& device,
                                   bool paused) { facts_.search.pause_device(device, PauseReason::kUser, paused); },
            .activate_pool = facts_.activate_pool};
}

// ----- from beginning to end -----

void Run::begin(const std::string& greeting) {
    if (!greeting.empty()) {
        is_grind_ ? log_debug(greeting) : log_info(greeting);
        if (const std::string place = observers_.place(); !place.empty()) log_info(fmt::format("shown on {}", place));
    }
    begun_ = true;
    observers_.offer(controls());
    if (!takes_keys()) return;
    keys_.emplace([this](char key) { pressed(key); });
    if (greeting.empty()) return;
    log_info(keys_help());
    (void)observers_.show_pairing();
}

void Run::joined(const DeviceInfo& info) {
    if (sensors_) sensors_->watch(info);
    if (std::ranges::find(facts_.ready, info.name, &DeviceInfo::name) != facts_.ready.end()) return;
    say(of_beginning(), joining_text(info));
    observers_.device(info);
}

SensorReport Run::finish() {
    observers_.hide_pairing();
    return sensors_ ? sensors_->finish() : SensorReport{};
}

bool wants_sensors(const Options& options) {
    return options.command != Command::kGrind || options.json || options.temperature_limits ||
           options.cpu_temperature_limits;
}

std::optional<double> time_left(const Options& options, std::chrono::steady_clock::time_point began) {
    constexpr double kLeast = 1e-3;  // seconds
    if (!options.time_limit) return std::nullopt;
    return std::max(*options.time_limit - seconds_since(began), kLeast);
}

int exit_code_of(Ending ending, int stop_signal) {
    switch (ending) {
        case Ending::kFinished: return kSuccess;
        case Ending::kLimit: return kUnfinished;
        case Ending::kInterrupted: return kStoppedBySignal + stop_signal;
        case Ending::kFailed: break;
    }
    return kDeviceFailed;
}

}  // namespace gpuminer
