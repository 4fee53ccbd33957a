#include "host/devices/device_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpuminer {

DeviceFinder::DeviceFinder(Backends backends, const DeviceSelection& selection, std::vector<const Backend*> asked,
                           Clock::time_point begin, const FleetTimes& times, std::function<void()> answered)
    : backends_(backends),
      selection_(selection),
      asked_(std::move(asked)),
      begin_(begin),
      times_(times),
      answered_(std::move(answered)) {}

std::vector<ListedDevice> DeviceFinder::next() {
    if (asked_.empty() || (!probing_ && Clock::now() < begin_)) return {};
    if (!probing_) probing_.emplace(asked_, selection_.options, answered_);
    add(probing_->take());
    if (waited_ >= times_.probe) add(probing_->give_up(times_.probe));
    // An API that has not answered yet may offer a faster way to a GPU, but not for ever.
    if (probing_->pending() && waited_ < times_.alias) return {};

    listed_ = answers_;
    for (ListedDevice& device : listed_) {
        if (!failed_.contains(device.probe.info.name)) continue;
        device.probe.usable = false;
        device.probe.reason.clear();  // the fleet has told the user
    }
    decide_use(listed_, selection_, chosen_);
    std::vector<ListedDevice> to_open;
    for (const ListedDevice& device : listed_) {
        const std::string& name = device.probe.info.name;
        if (device.probe.usable && device.probe.used_by_default) {
            if (chosen_.insert(name).second) to_open.push_back(device);
        } else if (!failed_.contains(name) && explained_.insert(name).second) {
            explain(device);
        }
    }
    return to_open;
}

void DeviceFinder::add(std::vector<Probing::Answer> answers) {
    for (Probing::Answer& answer : answers)
        std::ranges::move(listed_of(backends_, *answer.backend, std::move(answer.probes)),
                          std::back_inserter(answers_));
    std::ranges::sort(answers_, {}, &ListedDevice::rank);
}

void DeviceFinder::explain(const ListedDevice& device) {
    const DeviceInfo& info = device.probe.info;
    const auto is_usable_one_of_it = [&](const ListedDevice& other) {
        return other.probe.info.backend == info.backend && other.probe.usable;
    };
    const bool missed = names_backend(selection_, info.backend) && std::ranges::none_of(listed_, is_usable_one_of_it);
    notices_.push_back({missed ? Severity::kWarning : Severity::kDebug,
                        fmt::format("{} is not used: {}", info.name, device.probe.reason)});
}

std::optional<DeviceFinder::Clock::time_point> DeviceFinder::begin() const {
    return asked_.empty() || probing_ ? std::nullopt : std::optional(begin_);
}

bool DeviceFinder::pending() const { return !asked_.empty() && (!probing_ || probing_->pending()); }

std::vector<Notice> DeviceFinder::take_notices() { return std::exchange(notices_, {}); }

std::string DeviceFinder::problems() const {
    std::string text;
    for (const ListedDevice& device : listed_) {
        if (!device.probe.reason.empty()) text += fmt::format("; {}: {}", device.probe.info.name, device.probe.reason);
    }
    return text;
}

std::vector<std::string> DeviceFinder::unanswered() const {
    std::vector<std::string> names;
    for (const Backend* backend : probing_ ? probing_->unanswered() : asked_) names.emplace_back(backend->name);
    return names;
}

}  // namespace gpuminer
