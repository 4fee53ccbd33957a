#include "web/idle.hpp"

namespace gpuminer::web {

std::string_view why_idle(const SearchProgress& progress, const net::WorkStatus* status) {
    const auto& [paused, battery, devices_paused, waiting, no_job, unreadable, no_work] = kIdleReasons;
    if (progress.paused) return progress.on_battery ? battery : paused;
    if (progress.devices_paused) return devices_paused;
    if (progress.waiting) return waiting;
    if (status == nullptr || status->connected) return "";
    if (!status->logged_in) return no_work;
    return status->unreadable ? unreadable : no_job;
}

}  // namespace gpuminer::web
