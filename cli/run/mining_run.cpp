#include "cli/run/mining_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/report/device_text.hpp"
#include "cli/report/report.hpp"
#include "cli/run/exit_codes.hpp"
#include "cli/run/sandbox.hpp"
#include "cli/terminal/keys.hpp"
#include "cli/terminal/output.hpp"
#include "cpu/machine/cycle_counter.hpp"
#include "gpuminer_build_info.hpp"
#include "host/text/json_text.hpp"
#include "web/idle.hpp"
#include "web/odds.hpp"

namespace gpuminer {
namespace {

using std::chrono::milliseconds;

/// A server has this long to answer for what is in flight; less when somebody waits for the end.
constexpr milliseconds kPatience{3000};
constexpr milliseconds kPatienceWhenStopped{250};

}  // namespace

void MiningRun::found(const JobHit& found) {
    const MutexLock lock(mutex_);
    if (client_ != nullptr) client_->found(found);
}

net::WorkCallbacks MiningRun::callbacks(ProgressThread& progress) {
    return {.new_job =
                [this](std::shared_ptr<const MiningJob> job) {
                    events_.job(job.get());
                    if (view_ != nullptr) view_->job(job.get());
                    pacer_.set_job(std::move(job));
                },
            .say = [&progress](Severity severity, std::string text) { progress.say(severity, std::move(text)); },
            .answered =
                [this](const net::AnsweredFind& find) {
                    events_.answered(find);
                    if (view_ != nullptr) view_->answered(find);
                },
            .hash_rate = [this] { return pacer_.hash_rate(); },
            .stopped = [this] { return search_.stopped(); },
            .over =
                [this](net::Outcome outcome, std::string sentence) {
                    {
                        const MutexLock lock(mutex_);
                        outcome_ = outcome;
                        sentence_ = std::move(sentence);
                    }
                    search_.stop(Ending::kFinished);  // takes locks under which found() is called
                }};
}

net::WorkStatus MiningRun::status() const {
    const MutexLock lock(mutex_);
    return client_ != nullptr ? client_->status() : last_status_;
}

bool MiningRun::takes_keys() const { return options_.terminal && !options_.log.quiet && KeyThread::possible(); }

ProgressOptions MiningRun::progress_options() {
    ProgressOptions progress{
        .quiet = options_.log.quiet,
        .terminal = options_.terminal,
        .interval = options_.status_interval,
        .text = [this](const SearchProgress& now,
                       double rate) { return mining_progress_text(now, rate, status(), solo_); },
        .live_text = [this](const SearchProgress& now, double rate) { return terminal_.text(now, rate, status()); },
        .idle =
            [this](const SearchProgress& now) {
                const net::WorkStatus current = status();
                return !web::why_idle(now, &current).empty();
            },
        .on_battery = battery_watch(options_, setup_),
        .time_limit = options_.time_limit};
    if (takes_keys()) progress.resumed_by = "r";
    progress.on_notice = [this](const Notice& notice) { events_.notice(notice); };
    progress.rates = [this] { return terminal_.speed(); };
    progress.on_second = [this](const SearchProgress& now, double rate) { each_second(now, rate); };
    return progress;
}

void MiningRun::each_second(const SearchProgress& now, double rate) {
    const net::WorkStatus current = status();
    const std::vector<DeviceStatus> devices = search_.devices();
    events_.rate(now, rate, current);
    terminal_.sample(now, devices);
    if (view_ != nullptr) view_->sample({now, rate, devices, current});
    tell_odds(now, rate, current);
    service_.alive(mining_progress_text(now, rate, current, solo_));
}

/// Once, when the rate is known. (Of shares the pool's client warns.)
void MiningRun::tell_odds(const SearchProgress& now, double rate, const net::WorkStatus& current) {
    constexpr double kSettled = 30;  // seconds
    if (odds_told_ || now.seconds < kSettled || rate <= 0 || current.network_difficulty <= 0) return;
    odds_told_ = true;
    const web::Odds odds = web::odds_of(rate, 0, current.network_difficulty);
    if (!odds.warning.empty()) log_info(odds.warning);
}

void MiningRun::pressed(char key, ProgressThread& progress) {
    switch (key) {
        case 'p':
        case 'r': return progress.set_paused(key == 'p');
        case 'q': return interrupt_this_process();
        case 'h': return log_always(terminal_.speed());
        case 's': return log_always(shares_text(status(), search_.progress()));
        case 'c': return log_always(connection_text(status()));
        default: return log_always(kKeysHelp);
    }
}

web::Controls MiningRun::controls(ProgressThread& progress) {
    return {.pause = [&progress](bool paused) { progress.set_paused(paused); },
            .pause_device = [this](const std::string& device,
                                   bool paused) { search_.pause_device(device, PauseReason::kUser, paused); },
            .activate_pool =
                [this](std::size_t pool) {
                    const MutexLock lock(mutex_);
                    return client_ != nullptr && client_->use_pool(pool);
                }};
}

int MiningRun::run(const Connect& connect) {
    MiningReport report;
    report.algorithm = options_.devices.algorithm;
    report.solo = solo_;
    report.each_device = options_.log.debug;
    {
        const std::vector<DeviceInfo> ready = fleet_.ready();
        events_.start();
        for (const DeviceInfo& info : ready) {
            events_.device(info);
        }
        ProgressThread progress(search_, progress_options());
        const SignalThread::Session session(signals_, {.stop = [this] { search_.stop(Ending::kInterrupted); },
                                                       .statistics = [&] { progress.request_statistics(); },
                                                       .pause_or_resume = [&] { progress.pause_or_resume(); }});
        SensorThread sensors(
            {.limits = options_.temperature_limits, .powercap = setup_.powercap},
            {.pause = [&](const std::string& device,
                          bool paused) { search_.pause_device(device, PauseReason::kTemperature, paused); },
             .say = [&](Severity severity, const std::string& text) { progress.say(severity, text); },
             .measured =
                 [&](const SensorReport& measured) {
                     terminal_.measured(measured);
                     if (view_ != nullptr) view_->measured(measured);
                 }});
        // Before the first line: what is wrong with the options is the only thing to be said.
        const std::unique_ptr<net::WorkClient> client = connect(callbacks(progress));
        log_info(fmt::format("gpuminer {}: {}", kVersion, count_devices(ready)));
        if (view_ != nullptr && !view_->place().empty()) log_info(fmt::format("shown on {}", view_->place()));
        for (const std::string& warning : options_.mining.warnings) log_warning(warning);
        const ClientInUse in_use(*this, *client);
        service_.ready();
        const ControlsOffered offered(view_, controls(progress));
        std::optional<KeyThread> keys;
        if (takes_keys()) {
            keys.emplace([&](char key) { pressed(key, progress); });
            log_info(kKeysHelp);
        }
        report.search = search(progress, sensors, ready);
        service_.stopping();
        report.sensors = sensors.finish();
        wait_for_replies(*client);
        report.status = client->end();
    }
    return finish(report);
}

SearchReport MiningRun::search(ProgressThread& progress, SensorThread& sensors, const std::vector<DeviceInfo>& ready) {
    SearchReport report = search_.run(
        [&](const DeviceInfo& info) {
            sensors.watch(info);
            if (std::ranges::find(ready, info.name, &DeviceInfo::name) != ready.end()) return;
            progress.say(Severity::kInfo, joining_text(info));
            events_.device(info);
        },
        [&] { give_up_rights(progress); });
    if (have_cycle_counter()) report.counter_hz = measured_counter_hz();
    return report;
}

/// Drivers of GPUs start programs (compilers, linkers) whenever they like; nothing else here does.
void MiningRun::give_up_rights(ProgressThread& progress) const {
    if (!options_.mining.sandbox) return;
    if (!std::ranges::all_of(fleet_.ready(), &DeviceInfo::is_cpu))
        return progress.say(Severity::kDebug, "no sandbox: GPU drivers may have to start programs");
    progress.say(Severity::kDebug, enter_sandbox() ? "sandbox: this process can no longer start programs"
                                                   : "no sandbox: the kernel does not allow it (seccomp)");
}

/// A signal ends it early, whenever it comes.
void MiningRun::wait_for_replies(net::WorkClient& client) const {
    constexpr milliseconds kStep{25};
    milliseconds waited{0};
    milliseconds waited_since_signal{0};
    while (!client.finish(kStep) && waited < kPatience && waited_since_signal < kPatienceWhenStopped) {
        waited += kStep;
        if (signals_.stop_signal() != 0) waited_since_signal += kStep;
    }
}

void MiningRun::write(const MiningReport& report) const {
    if (options_.mining.events != "-") {
        Output output;
        if (options_.json) {
            output.write(json_text(mining_json(report), 1) + "\n");
            output.finish();
        } else {
            write_mining_text(output, report);
        }
    }
    if (report.search.ending == Ending::kFailed) log_error("all devices failed");
}

int MiningRun::finish(const MiningReport& report) {
    std::optional<net::Outcome> outcome;
    std::string sentence;
    {
        const MutexLock lock(mutex_);
        outcome = outcome_;
        sentence = sentence_;
    }
    const bool refused = outcome && *outcome != net::Outcome::kEnough && report.search.ending == Ending::kFinished;
    const int refusal = outcome == net::Outcome::kBadInput ? kBadInput : kServerUnreachable;
    events_.end(refused ? error_document(sentence, refusal) : mining_json(report));
    if (!refused || (!options_.json && report.status.accepted > 0)) write(report);
    if (refused) {
        if (refusal == kBadInput) throw InputError(sentence);
        throw NetworkError(sentence);
    }
    switch (report.search.ending) {
        case Ending::kFinished: return kSuccess;
        case Ending::kLimit: return kUnfinished;
        case Ending::kInterrupted: return kStoppedBySignal + signals_.stop_signal();
        case Ending::kFailed: break;
    }
    return kDeviceFailed;
}

}  // namespace gpuminer
