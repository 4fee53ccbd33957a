// pool and solo: a search of jobs as a server sends them.
#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/device_text.hpp"
#include "cli/events.hpp"
#include "cli/keys.hpp"
#include "cli/live_view.hpp"
#include "cli/mining_report.hpp"
#include "cli/pacer.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/sandbox.hpp"
#include "cli/service_manager.hpp"
#include "gpuminer_build_info.hpp"
#include "host/block/json_text.hpp"
#include "host/mutex.hpp"
#include "host/search/fleet.hpp"
#include "host/sensors/sensor_thread.hpp"
#include "web/odds.hpp"
#include "web/rate_window.hpp"

namespace gpuminer {
namespace {

using std::chrono::milliseconds;

/// A server has this long to answer for what is in flight; less when somebody waits for the end.
constexpr milliseconds kPatience{3000};
constexpr milliseconds kPatienceWhenStopped{250};

using Connect = std::function<std::unique_ptr<net::WorkClient>(net::WorkCallbacks)>;

class MiningRun {
public:
    /// `view`: null without --http.
    MiningRun(const Options& options, const ProgramSetup& setup, SignalThread& signals, Fleet& fleet, LiveView* view)
        : options_(options),
          setup_(setup),
          signals_(signals),
          fleet_(fleet),
          solo_(options.command == Command::kSolo),
          view_(view),
          events_(options.mining.events, view != nullptr ? view->listener() : EventStream::Listener()),
          search_([this](const JobHit& hit) { found(hit); }, fleet),
          pacer_(search_, options.mining.max_hash_rate) {}

    int run(const Connect& connect);

private:
    [[nodiscard]] net::WorkCallbacks callbacks(ProgressThread& progress);
    void found(const JobHit& found);
    [[nodiscard]] SearchReport search(ProgressThread& progress, SensorThread& sensors,
                                      const std::vector<DeviceInfo>& ready);
    /// A key of the terminal; on the key thread.
    void pressed(char key, ProgressThread& progress);
    [[nodiscard]] web::Controls controls(ProgressThread& progress);
    void give_up_rights(ProgressThread& progress) const;
    void wait_for_replies(net::WorkClient& client) const;
    [[nodiscard]] net::WorkStatus status() const;
    void each_second(const SearchProgress& now, double rate);
    void tell_odds(const SearchProgress& now, double rate, const net::WorkStatus& current);
    [[nodiscard]] ProgressOptions progress_options();
    void set_client(net::WorkClient* client) {
        const MutexLock lock(mutex_);
        client_ = client;
    }
    /// The client is there for other threads as long as this is, which ends before the client does, also by an
    /// exception.
    struct ClientInUse {
        ClientInUse(MiningRun& mining, net::WorkClient& client) : run(mining) { run.set_client(&client); }
        ~ClientInUse() { run.set_client(nullptr); }
        ClientInUse(const ClientInUse&) = delete;
        ClientInUse& operator=(const ClientInUse&) = delete;
        MiningRun& run;
    };
    void write(const MiningReport& report) const;
    [[nodiscard]] int finish(const MiningReport& report);

    const Options& options_;
    const ProgramSetup& setup_;
    SignalThread& signals_;
    Fleet& fleet_;
    const bool solo_;
    LiveView* const view_;
    const ServiceManager service_;
    EventStream events_;  ///< outlives all threads that use it
    MiningSearch search_;
    Pacer pacer_;

    bool odds_told_ = false;  // used by the progress thread alone

    mutable Mutex mutex_;
    net::WorkClient* client_ GPUMINER_GUARDED_BY(mutex_) = nullptr;
    web::RateWindow rates_ GPUMINER_GUARDED_BY(mutex_);
    std::optional<net::Outcome> outcome_ GPUMINER_GUARDED_BY(mutex_);
    std::string sentence_ GPUMINER_GUARDED_BY(mutex_);
};

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
                [this](const net::FindAnswered& find) {
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
    return client_ != nullptr ? client_->status() : net::WorkStatus{};
}

ProgressOptions MiningRun::progress_options() {
    ProgressOptions progress{.quiet = options_.log.quiet,
                             .terminal = options_.terminal,
                             .interval = options_.status_interval,
                             .text = [this](const SearchProgress& now,
                                            double rate) { return mining_progress_text(now, rate, status(), solo_); },
                             .on_battery = battery_watch(options_, setup_),
                             .time_limit = options_.time_limit};
    progress.on_notice = [this](const Notice& notice) {
        events_.notice(notice);
        if (view_ != nullptr) view_->notice(notice);
    };
    progress.on_second = [this](const SearchProgress& now, double rate) { each_second(now, rate); };
    return progress;
}

void MiningRun::each_second(const SearchProgress& now, double rate) {
    const net::WorkStatus current = status();
    events_.rate(now, rate, current);
    if (view_ != nullptr) view_->sample({now, rate, search_.devices(), current});
    tell_odds(now, rate, current);
    {
        const MutexLock lock(mutex_);
        rates_.add(now.seconds, now.hashes_done);
    }
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
        case 'q': ::kill(::getpid(), SIGINT); return;
        case 'h': {
            const MutexLock lock(mutex_);
            return log_always(speed_text(rates_));
        }
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
        if (options_.terminal && !options_.log.quiet) {
            keys.emplace([&](char key) { pressed(key, progress); });
            if (keys->active()) log_info(kKeysHelp);
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
    return search_.run(
        [&](const DeviceInfo& info) {
            sensors.watch(info);
            if (std::ranges::find(ready, info.name, &DeviceInfo::name) != ready.end()) return;
            progress.say(Severity::kInfo, joining_text(info));
            events_.device(info);
        },
        [&] { give_up_rights(progress); });
}

/// Drivers of GPUs start programs (compilers, linkers) whenever they like; nothing else here does.
void MiningRun::give_up_rights(ProgressThread& progress) const {
    if (!options_.mining.sandbox) return;
    if (!std::ranges::all_of(fleet_.ready(), &DeviceInfo::is_cpu))
        return progress.say(Severity::kDebug, "no sandbox: drivers of GPUs may have to start programs");
    progress.say(Severity::kDebug, enter_sandbox() ? "sandbox: this process can start no program any more"
                                                   : "no sandbox: the kernel does not let it (seccomp)");
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
    if (report.search.ending == Ending::kFailed) log_error("devices failed and nobody was left to go on");
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

int run_mining(const Options& options, SignalThread& signals, const ProgramSetup& setup, const Connect& connect) {
    std::optional<LiveView> view;
    if (options.view.any()) view.emplace(options.view, options.command == Command::kSolo ? "solo" : "pool");
    const bool waits_for_drivers = !options.devices.devices.empty();
    if (!waits_for_drivers) signals.expect_session();
    Fleet fleet(built_in_backends(), options.devices, setup.fleet_times);
    signals.expect_session();
    return MiningRun(options, setup, signals, fleet, view ? &*view : nullptr).run(connect);
}

}  // namespace

// Files are read before run_mining(): a file system may hang, and from there on a signal waits for the summary.

int run_pool(const Options& options, SignalThread& signals, const ProgramSetup& setup) {
    net::PoolOptions pool = options.mining.pool;
    net::read_files(pool);
    return run_mining(options, signals, setup,
                      [&](net::WorkCallbacks callbacks) { return net::make_pool_client(pool, std::move(callbacks)); });
}

int run_solo(const Options& options, SignalThread& signals, const ProgramSetup& setup) {
    const net::SoloNodes nodes = net::find_nodes(options.mining.solo);
    return run_mining(options, signals, setup, [&](net::WorkCallbacks callbacks) {
        return net::make_solo_client(options.mining.solo, nodes, std::move(callbacks));
    });
}

}  // namespace gpuminer
