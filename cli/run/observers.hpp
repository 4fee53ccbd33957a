// All observers of a run, as one: events, page, alerts, terminal, service manager, odds.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/report/terminal_view.hpp"
#include "cli/run/events.hpp"
#include "cli/run/outside.hpp"
#include "cli/run/service_manager.hpp"
#include "web/controls.hpp"
#include "web/run_observer.hpp"

namespace gpuminer {

/// Says once, when the rate is known, how long a block takes at it. (Of shares the pool's client warns.)
class OddsLine final : public web::RunObserver {
public:
    void second(const web::RunSample& now) override;

private:
    bool told_ = false;  // used by the thread that calls second()
};

/// Each is told of everything, in the same order. device() is for the main thread.
class Observers final : public web::RunObserver {
public:
    /// The page and the alerts, as the options ask for them; before the fleet, as the alerts' helper is started here.
    /// The service manager hears of pool and solo alone: mine may be a step of another service's script. Throws
    /// InputError.
    explicit Observers(const Options& options);
    /// The event stream, once the devices that the options name are there. Throws InputError.
    void begin();
    /// At the end, as Outside::finish().
    void finish(bool hurry);

    /// Where the page is; empty: there is none.
    [[nodiscard]] std::string place() const { return outside_ ? outside_->place() : ""; }
    /// Shows on the terminal how to let a phone or another browser in. False: there is no page, or no token.
    bool show_pairing();
    /// It is taken away when it is no longer valid, too.
    void hide_pairing();
    [[nodiscard]] const TerminalView& terminal() const { return terminal_; }

    /// To the page; {} withdraws them. On return, no earlier control is still running.
    void offer(web::Controls controls);

    /// Once, of several searches.
    void device(const DeviceInfo& ready) override {
        if (told_.insert(ready.name).second) tell(&RunObserver::device, ready);
    }
    void job(const MiningJob* job) override { tell(&RunObserver::job, job); }
    void answered(const net::AnsweredFind& find) override { tell(&RunObserver::answered, find); }
    void second(const web::RunSample& now) override;
    void measured(const SensorReport& sensors) override { tell(&RunObserver::measured, sensors); }
    void hot(const HotDevice& paused) override { tell(&RunObserver::hot, paused); }
    void notice(const Notice& logged) override { tell(&RunObserver::notice, logged); }
    void end(const web::DocumentText& document) override { tell(&RunObserver::end, document); }

private:
    template <class Fact>
    void tell(void (RunObserver::*what)(Fact), std::type_identity_t<Fact> fact) {
        for (RunObserver* const each : all_) (each->*what)(fact);
    }

    const Options& options_;
    std::optional<ServiceManager> service_;  ///< first: no helper is to have its address
    std::unique_ptr<Outside> outside_;       ///< null: nobody asked for it
    std::optional<EventStream> events_;
    TerminalView terminal_;
    OddsLine odds_;
    std::vector<RunObserver*> all_;
    std::set<std::string> told_;        ///< devices
    std::atomic<bool> pinned_ = false;  ///< how to let a phone in, on the terminal
};

}  // namespace gpuminer
