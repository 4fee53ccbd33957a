// A run of pool or solo: a search of the jobs that a server sends, and all its observers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/report/mining_report.hpp"
#include "cli/report/terminal_view.hpp"
#include "cli/run/events.hpp"
#include "cli/run/live_view.hpp"
#include "cli/run/pacer.hpp"
#include "cli/run/service_manager.hpp"
#include "cli/run/setup.hpp"
#include "cli/run/signals.hpp"
#include "cli/terminal/progress.hpp"
#include "host/mutex.hpp"
#include "host/search/fleet.hpp"
#include "host/sensors/sensor_thread.hpp"

namespace gpuminer {

class MiningRun {
public:
    /// `view`: null without --http, hooks and webhooks.
    MiningRun(const Options& options, const ProgramSetup& setup, SignalThread& signals, Fleet& fleet, LiveView* view)
        : options_(options),
          setup_(setup),
          signals_(signals),
          fleet_(fleet),
          solo_(options.command == Command::kSolo),
          view_(view),
          terminal_(solo_),
          events_(options.mining.events, view != nullptr ? view->listener() : EventStream::Listener()),
          search_([this](const JobHit& hit) { found(hit); }, fleet),
          pacer_(search_, *options.devices.algorithm, options.mining.max_hash_rate) {}

    using Connect = std::function<std::unique_ptr<net::WorkClient>(net::WorkCallbacks)>;

    /// Returns the exit code. Throws InputError, NetworkError.
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
    [[nodiscard]] bool takes_keys() const;
    [[nodiscard]] ProgressOptions progress_options();
    void set_client(net::WorkClient* client) {
        const MutexLock lock(mutex_);
        if (client == nullptr && client_ != nullptr) last_status_ = client_->status();
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
    TerminalView terminal_;
    const ServiceManager service_;
    EventStream events_;  ///< outlives all threads that use it
    MiningSearch search_;
    Pacer pacer_;

    bool odds_told_ = false;  // used by the progress thread alone

    mutable Mutex mutex_;
    net::WorkClient* client_ GPUMINER_GUARDED_BY(mutex_) = nullptr;
    net::WorkStatus last_status_ GPUMINER_GUARDED_BY(mutex_);  ///< of the client that is gone
    std::optional<net::Outcome> outcome_ GPUMINER_GUARDED_BY(mutex_);
    std::string sentence_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer
