// A run's ways to people and other programs: page and API (--http), the user's commands (--on-EVENT), webhooks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/options/options.hpp"
#include "cli/run/events.hpp"
#include "web/controls.hpp"
#include "web/run_observer.hpp"

namespace gpuminer {

class Outside : public web::RunObserver {
public:
    /// For an EventStream: readers of /api/v1/events get what happens.
    [[nodiscard]] virtual EventStream::Listener listener() = 0;
    /// At the run's end: until webhooks have got what is on its way to them, all within 2 s. `hurry`: within a quarter
    /// of a second, as somebody waits.
    virtual void finish(bool hurry) = 0;

    /// Where the page is; empty: there is none.
    [[nodiscard]] virtual std::string place() const = 0;
    /// To the page; {} withdraws them. On return, no earlier control is still running.
    virtual void offer(web::Controls controls) = 0;
    /// Shows on the terminal how to let a phone or another browser in. False: there is no page, or no token.
    [[nodiscard]] virtual bool show_pairing() = 0;
    [[nodiscard]] virtual bool is_pairing() = 0;
};

/// As the options ask for it; null: they ask for nothing. `command`: "pool", "solo", "mine". Throws InputError.
[[nodiscard]] std::unique_ptr<Outside> make_outside(const Options& options, const std::string& command);

}  // namespace gpuminer
