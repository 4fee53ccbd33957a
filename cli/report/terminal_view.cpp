#include "cli/report/terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "cli/report/mining_report.hpp"
#include "host/text/format.hpp"
#include "host/text/text.hpp"
#include "web/odds.hpp"

namespace gpuminer {
namespace {

constexpr std::size_t kMostDevices = 6;
constexpr double kRateSeconds = 10;  // seconds over which a device's rate is shown

std::string state_of(const DeviceStatus& device) {
    if (!device.report.failure.empty()) return "taken out";
    if (device.paused_by_user) return "paused";
    if (device.paused_for_heat) return "too hot";
    return "";
}

}  // namespace

void TerminalView::add_line(const DeviceInfo& info, double rate, const std::string& state) {
    if (!info.is_cpu()) return lines_.push_back({.name = info.name, .device = info.name, .rate = rate, .state = state});
    const std::string name = fmt::format("{}:{}", info.backend, info.kind);
    const auto is_same = [&](const Line& line) { return line.threads > 0 && line.name == name && line.state == state; };
    const auto same = std::ranges::find_if(lines_, is_same);
    if (same == lines_.end())
        return lines_.push_back({.name = name, .device = info.name, .threads = 1, .rate = rate, .state = state});
    ++same->threads;
    same->rate += rate;
}

void TerminalView::second(const web::RunSample& now) {
    const SearchProgress& progress = now.progress;
    const MutexLock lock(mutex_);
    rate_.add(progress.seconds, progress.hashes_done);
    lines_.clear();
    for (const DeviceStatus& device : now.devices) {
        const DeviceReport& report = device.report;
        web::RateWindow& window = rates_[report.info.name];
        window.add(progress.seconds, report.hashes);
        const double on_average = rate_of(static_cast<double>(report.hashes), progress.seconds);
        const std::string state = state_of(device);
        const bool at_work = state.empty() && !progress.paused;
        add_line(report.info, at_work ? window.rate(kRateSeconds).value_or(on_average) : 0, state);
    }
}

void TerminalView::measured(const SensorReport& sensors) {
    const MutexLock lock(mutex_);
    sensors_ = sensors;
}

/// The next search begins anew.
void TerminalView::end(const web::DocumentText& /*document*/) {
    const MutexLock lock(mutex_);
    rate_ = {};
    rates_.clear();
    lines_.clear();
}

std::string TerminalView::speed() const {
    const MutexLock lock(mutex_);
    return speed_text(rate_);
}

std::string TerminalView::facts(const Line& line) const {
    std::string text;
    if (line.threads > 0) text += line.threads == 1 ? ", 1 thread" : fmt::format(", {} threads", line.threads);
    if (const auto found = sensors_.devices.find(line.device); found != sensors_.devices.end()) {
        if (found->second.temperature_c) text += fmt::format(", {:.0f} °C", *found->second.temperature_c);
        if (found->second.power_now_w) text += fmt::format(", {:.0f} W", *found->second.power_now_w);
    }
    return line.state.empty() ? text : text + ", " + line.state;
}

std::string TerminalView::device_lines() const {
    const std::size_t shown = lines_.size() > kMostDevices ? kMostDevices - 1 : lines_.size();
    std::size_t width = 0;
    for (std::size_t i = 0; i < shown; ++i) width = std::max(width, lines_[i].name.size());
    std::string text;
    for (std::size_t i = 0; i < shown; ++i)
        text += fmt::format("{:{}}  {:>12}{}\n", lines_[i].name, width, rate_text(lines_[i].rate), facts(lines_[i]));
    if (shown < lines_.size()) text += fmt::format("and {} more devices\n", lines_.size() - shown);
    return text;
}

std::string TerminalView::text(const web::RunSample& now) const {
    std::string text;
    {
        const MutexLock lock(mutex_);
        // The rate of the only device is that of the progress line.
        text = lines_.size() == 1 ? lines_[0].name + facts(lines_[0]) : device_lines() + speed_text(rate_);
    }
    if (now.progress.best) text += ", best difficulty " + difficulty_text(difficulty_of(*now.progress.best));
    text += fmt::format(", up {}\n", duration_text(now.progress.seconds));
    const web::Odds odds = web::odds_of(now.hash_rate, 0, now.status.network_difficulty);
    if (odds.block_seconds) text += web::odds_text(odds) + "\n";
    if (!now.status.server.empty()) text += connection_text(now.status) + "\n";
    return text + now.text;
}

}  // namespace gpuminer
