// A run of pool or solo: a search of the jobs that a server sends.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/options/options.hpp"
#include "cli/report/mining_report.hpp"
#include "cli/run/observers.hpp"
#include "cli/run/pacer.hpp"
#include "cli/run/run.hpp"
#include "cli/run/setup.hpp"
#include "cli/run/signals.hpp"
#include "host/mutex.hpp"
#include "host/search/fleet.hpp"

namespace gpuminer {

class MiningRun {
public:
    MiningRun(const Options& options, const ProgramSetup& setup, SignalThread& signals, Fleet& fleet,
              Observers& observers)
        : options_(options),
          setup_(setup),
          signals_(signals),
          fleet_(fleet),
          solo_(options.command == Command::kSolo),
          observers_(observers),
          search_([this](const JobHit& hit) { found(hit); }, fleet),
          pacer_(search_, *options.devices.algorithm, options.mining.max_hash_rate) {}

    using Connect = std::function<std::unique_ptr<net::WorkClient>(net::WorkCallbacks)>;

    /// Returns the exit code. Throws InputError, NetworkError.
    int run(const Connect& connect);

private:
    [[nodiscard]] RunFacts facts();
    [[nodiscard]] net::WorkCallbacks callbacks(Run& run);
    void found(const JobHit& found);
    [[nodiscard]] SearchReport search(Run& run);
    void give_up_rights(Run& run) const;
    void wait_for_replies(net::WorkClient& client) const;
    [[nodiscard]] net::WorkStatus status() const;
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
    Observers& observers_;
    MiningSearch search_;
    Pacer pacer_;

    mutable Mutex mutex_;
    net::WorkClient* client_ GPUMINER_GUARDED_BY(mutex_) = nullptr;
    net::WorkStatus last_status_ GPUMINER_GUARDED_BY(mutex_);  ///< of the client that is gone
    std::optional<net::Outcome> outcome_ GPUMINER_GUARDED_BY(mutex_);
    std::string sentence_ GPUMINER_GUARDED_BY(mutex_);
};

}  // namespace gpuminer
